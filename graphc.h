/*===- graphc.h - graphc for programs in C, and in whatever calls C ----------------------------===*
 *
 * The compiler (link graphc::compiler of find_package(graphc COMPONENTS compiler)) and a run in
 * this process (graphc::runtime). In C++: graphc/Compiler.h and graphc/Run.h, of which these are
 * thin wraps.
 *
 * Results are objects that the caller frees; what functions give of them lives as long as they do.
 * A structure of options begins with its own size, so that a program compiled against an older
 * header keeps its meaning; all that is zero is the default:
 *     graphc_run_options options = {.size = sizeof(options), .epochs = 5};
 * Any number of threads may call at once, each with objects of its own. Nothing is printed, and no
 * signal is handled but SIGBUS (a data file that shrinks while it is read). Functions of the
 * program that are called from here must not throw.
 *
 *===------------------------------------------------------------------------------------------===*/
#ifndef GRAPHC_H
#define GRAPHC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*--- compile ---*/

typedef struct graphc_compile_options {
  size_t size; /* sizeof(graphc_compile_options) */
  const char *target_cpu; /* as LLVM names it; NULL: this machine's */
  uint32_t intra_op_threads; /* of one matmul, where a run says no other number */
  /* a device that the model names and the cluster lacks is a remark, not an error */
  int soft_placement;
  int no_cublaslt; /* all products of GPUs are compiled */
  const char *const
      *imports; /* files of functions that the model calls, of StableHLO too (docs/import.md) */
  size_t import_count;
  const char *const
      *import_variables; /* trees of their arguments that are variables; none: "params" */
  size_t import_variable_count;
} graphc_compile_options;

typedef enum graphc_severity {
  GRAPHC_ERROR = 0,
  GRAPHC_WARNING = 1,
  GRAPHC_REMARK = 2,
  GRAPHC_NOTE = 3 /* to the message before */
} graphc_severity;

typedef struct graphc_diagnostic {
  graphc_severity severity;
  const char *file; /* "": about no file */
  uint32_t line, column; /* from 1; 0: not known */
  const char *message;
} graphc_diagnostic;

typedef struct graphc_compilation graphc_compilation;

/* A model in text or bytecode, and what cluster.json says (NULL: one task). `name` stands for the
 * model in messages and in the plan. `options` may be NULL. Never NULL. */
graphc_compilation *graphc_compile(const void *model, size_t model_bytes, const char *name,
                                   const char *cluster_json, const graphc_compile_options *options);
/* The same of a file. */
graphc_compilation *graphc_compile_file(const char *path, const char *cluster_json,
                                        const graphc_compile_options *options);
/* The plan as the file that graphrun takes; NULL where an error was said. */
const void *graphc_plan(const graphc_compilation *compilation, size_t *bytes);
size_t graphc_diagnostic_count(const graphc_compilation *compilation);
graphc_diagnostic graphc_get_diagnostic(const graphc_compilation *compilation, size_t index);
/* All of them for people, with the user's lines; "" where there is none. */
const char *graphc_diagnostics_text(const graphc_compilation *compilation);
void graphc_free_compilation(graphc_compilation *compilation);

/*--- run ---*/

typedef struct graphc_feed {
  const char *name;
  const void *data; /* row-major, little endian */
  size_t bytes;
} graphc_feed;

typedef struct graphc_run_options {
  size_t size; /* sizeof(graphc_run_options) */
  const char *entry; /* "train" (NULL), "eval" or "predict" */
  double epochs; /* 0: one */
  uint64_t steps; /* 0: as many as the epochs have; counted from the very first, as epochs are */
  const char *data_directory, *checkpoint_directory, *dump_directory; /* NULL: none */
  uint32_t intra_op_threads; /* 0: the plan's */
  const graphc_feed *feeds;
  size_t feed_count;
  const char *const *fetches; /* names of results to keep, of every step */
  size_t fetch_count;
  void (*log)(void *context, const char *line); /* NULL: dropped; on any thread */
  /* NULL; asked a few times a second, on another thread: not 0 ends the run at the next step */
  int (*stop)(void *context);
  void *context;
} graphc_run_options;

/* The numbers of DataType in runtime/common/plan/plan.proto. */
typedef struct graphc_fetched {
  const char *name;
  uint64_t step; /* how many steps were made before it: 0 is the first */
  uint32_t data_type;
  size_t rank;
  const int64_t *shape;
  const void *data; /* row-major, little endian */
  size_t bytes;
} graphc_fetched;

typedef struct graphc_run_result graphc_run_result;

/* Verifies a plan of one task and runs it in this process. `options` may be NULL. Never NULL. */
graphc_run_result *graphc_run(const void *plan, size_t bytes, const graphc_run_options *options);
/* Why the run ended early; NULL where it did not. */
const char *graphc_run_error(const graphc_run_result *result);
uint64_t graphc_run_steps(const graphc_run_result *result); /* the global step at the end */
/* 1 and the value, or 0 where there is none: the mean of the last epoch; "accuracy", "train
 * accuracy". */
int graphc_run_loss(const graphc_run_result *result, double *value);
int graphc_run_metric(const graphc_run_result *result, const char *name, double *value);
size_t graphc_fetched_count(const graphc_run_result *result);
graphc_fetched graphc_get_fetched(const graphc_run_result *result, size_t index);
void graphc_free_run_result(graphc_run_result *result);

/*--- a run step by step, with hooks ---
 *
 * tf.train.MonitoredTrainingSession and SessionRunHook, as runtime/api/Session.h has them in C++:
 *     graphc_session *session = graphc_new_session(plan, bytes);
 *     graphc_session_set(session, "steps", "1000");
 *     graphc_session_add_hook(session, &hook);
 *     graphc_session_start(session);
 *     while (!graphc_session_should_stop(session))
 *       graphc_session_run(session);
 *     int status = graphc_session_close(session);
 *     graphc_free_session(session);
 *
 * Functions that return int return 0, or what they say otherwise. The first error is kept: the
 * session stops, and what is called then does nothing. So a program may look once, at the end.
 *
 * Threads: one thread makes, starts, steps and closes a session, and hooks are called on it, within
 * those calls. Any thread may call graphc_session_should_stop and graphc_session_request_stop until
 * the session is freed.
 * Ownership: names, values and hooks are copied; what a hook's `data` points to is the program's,
 * until the session is freed. What functions give lives until the next graphc_session_run, errors
 * and names until graphc_free_session.
 */

typedef struct graphc_session graphc_session;

/* Each callback may be NULL, and returns 0, or another number for an error, which ends the run by
 * the hook's name. */
typedef struct graphc_hook {
  size_t size; /* sizeof(graphc_hook) */
  const char *name; /* in errors */
  void *data;
  int (*begin)(graphc_session *session, void *data); /* before anything is made */
  /* the variables have their values */
  int (*after_create_session)(graphc_session *session, void *data);
  int (*before_run)(graphc_session *session, void *data); /* graphc_session_want names results */
  int (*after_run)(graphc_session *session, void *data); /* graphc_session_fetched gives them */
  int (*end)(graphc_session *session, void *data); /* behind the last step; not after a failure */
} graphc_hook;

/* Never NULL. The plan is what graphc_plan gives, or what a plan file holds. */
graphc_session *graphc_new_session(const void *plan, size_t bytes);
graphc_session *graphc_new_session_file(const char *path);

/* Before the start. Keys are graphrun's flags without "--": "entry", "epochs", "steps",
 * "eval_every_epochs", "no_eval" (true), "checkpoint_dir", "init_from", "save_checkpoint_steps",
 * "save_checkpoint_secs", "keep_checkpoint_max", "max_restarts", "nan" (stop or raise),
 * "early_stop",
 * "log_step_count_steps", "new_algorithms" (true), "dump_variables", "data_dir",
 * "intra_op_threads", "deadline" (seconds). Of a plan of several tasks, as
 * runtime/api/ClusterOptions.h explains: "graphrun" (its path: starts the others here), "master",
 * "JOB_hosts", "job_name", "task_index", "rank_order", "job_dir", "tls_cert", "tls_key", "tls_ca",
 * "transport", "join_deadline" (seconds). 1: an error. */
int graphc_session_set(graphc_session *session, const char *key, const char *value);
/* An argument's value, row-major, little endian. */
int graphc_session_feed(graphc_session *session, const char *name, const void *data, size_t bytes);
int graphc_session_add_hook(graphc_session *session, const graphc_hook *hook);
/* Takes lines for people, on any thread, until the session is freed; else they are dropped. */
void graphc_session_set_log(graphc_session *session, void (*log)(void *context, const char *line),
                            void *context);

/* Waits until the first step can be made. 1: an error. */
int graphc_session_start(graphc_session *session);
int graphc_session_should_stop(const graphc_session *session); /* 1 or 0; before the start 1 */
/* No step comes behind this one. */
void graphc_session_request_stop(graphc_session *session);
/* One step, with all hooks. 1: an error. With "max_restarts" the loss of another task is none: the
 * session goes on from its last checkpoint, hooks hear of it by after_create_session, and
 * graphc_session_global_step may be less than before. */
int graphc_session_run(graphc_session *session);
uint64_t graphc_session_global_step(const graphc_session *session); /* steps made */
const char *
graphc_session_restored_from(const graphc_session *session); /* the checkpoint; "": none */

/* In before_run, or before graphc_session_run: the step that comes shall give this result. */
int graphc_session_want(graphc_session *session, const char *name);
/* In after_run, or after graphc_session_run: copies the result into `buffer` (NULL: not), which has
 * `bytes` bytes, and describes it in `value` (NULL: not). 1: it was not wanted, or there are more
 * bytes, which `value` says; this ends nothing. */
int graphc_session_fetched(const graphc_session *session, const char *name, void *buffer,
                           size_t bytes, graphc_fetched *value);
/* In a callback that returns an error: what went wrong. */
void graphc_session_fail(graphc_session *session, const char *why);

/* The hooks' end, then the run's. graphrun's exit status: 0; 138 where another task was lost and
 * the run may be started again; else 1. */
int graphc_session_close(graphc_session *session);
/* The first error; NULL where there is none. */
const char *graphc_session_error(const graphc_session *session);
/* After the close, of the chief's, as of graphc_run_loss and graphc_run_metric. */
int graphc_session_loss(const graphc_session *session, double *value);
int graphc_session_metric(const graphc_session *session, const char *name, double *value);
const char *graphc_session_ended_early(const graphc_session *session); /* why; "": it did not */
/* Closes it first, where that was not done. NULL: nothing. */
void graphc_free_session(graphc_session *session);

#ifdef __cplusplus
}
#endif
#endif
