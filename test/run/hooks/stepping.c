/* A session in plain C.   stepping PLAN LIMIT GRAPHRUN: trains until the loss is below the limit; GRAPHRUN starts the other tasks. */
#include "graphc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  double limit;
  int begun, created, ended;
} Watch;

static int begin(graphc_session *session, void *data) {
  ((Watch *)data)->begun += 1;
  return graphc_session_should_stop(session) != 1; /* not started yet */
}

static int created(graphc_session *session, void *data) {
  ((Watch *)data)->created += 1;
  printf("from step %llu, %s\n", (unsigned long long)graphc_session_global_step(session),
         *graphc_session_restored_from(session) ? "restored" : "initial values");
  return 0;
}

static int before(graphc_session *session, void *data) { return graphc_session_want(session, "loss"); }

static int after(graphc_session *session, void *data) {
  float loss = 0;
  char little[2];
  graphc_fetched value;
  if (graphc_session_fetched(session, "loss", little, sizeof little, &value) != 1 || value.bytes != sizeof loss ||
      value.rank != 0 || value.data_type != 6 /* F32 */) {
    graphc_session_fail(session, "loss is not one f32");
    return 1;
  }
  if (graphc_session_fetched(session, "loss", &loss, sizeof loss, NULL) ||
      graphc_session_fetched(session, "none", NULL, 0, NULL) != 1)
    return 2;
  printf("step %llu loss %.9g\n", (unsigned long long)value.step, loss);
  if (loss < ((Watch *)data)->limit)
    graphc_session_request_stop(session);
  return 0;
}

static int end(graphc_session *session, void *data) {
  ((Watch *)data)->ended += 1;
  return 0;
}

static void *look(void *session) { /* another thread may */
  return graphc_session_should_stop(session) ? NULL : session;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  Watch watch = {atof(argv[2]), 0, 0, 0};
  graphc_hook hook = {.size = sizeof hook,
                      .name = "below",
                      .data = &watch,
                      .begin = begin,
                      .after_create_session = created,
                      .before_run = before,
                      .after_run = after,
                      .end = end};
  graphc_session *wrong = graphc_new_session("no plan", 7);
  graphc_session *unknown = graphc_new_session_file(argv[1]);
  graphc_session_set(unknown, "step", "1000");
  if (graphc_session_start(wrong) != 1 || graphc_session_start(unknown) != 1 || graphc_session_run(wrong) != 1)
    return 3;
  printf("%s\n%s\n", graphc_session_error(wrong), graphc_session_error(unknown));
  graphc_free_session(wrong);
  graphc_free_session(unknown);

  graphc_session *session = graphc_new_session_file(argv[1]);
  graphc_session_set(session, "steps", "1000");
  graphc_session_set(session, "graphrun", argv[3]);
  graphc_session_add_hook(session, &hook);
  graphc_session_start(session);
  pthread_t thread;
  void *seen = NULL;
  if (pthread_create(&thread, NULL, look, session) || pthread_join(thread, &seen))
    return 4;
  while (!graphc_session_should_stop(session))
    graphc_session_run(session);
  double loss = 0;
  const int status = graphc_session_close(session);
  if (graphc_session_error(session))
    fprintf(stderr, "%s\n", graphc_session_error(session));
  printf("%llu steps, %d%d%d, %s, mean loss: %d, %s\n", (unsigned long long)graphc_session_global_step(session), watch.begun,
         watch.created, watch.ended, seen ? "went on" : "stopped", graphc_session_loss(session, &loss),
         graphc_session_ended_early(session));
  graphc_free_session(session);
  return status;
}
