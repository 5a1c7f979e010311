/* The same in C.   embed-c MODEL STEPS FOLDER */
#include "graphc.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: embed-c MODEL STEPS FOLDER\n");
    return 2;
  }
  graphc_compilation *compiled = graphc_compile_file(argv[1], NULL, NULL);
  fputs(graphc_diagnostics_text(compiled), stderr);
  size_t bytes;
  const void *plan = graphc_plan(compiled, &bytes);
  if (!plan)
    return 1;
  const char *fetches[] = {"loss"};
  graphc_run_options options = {.size = sizeof(options), .steps = strtoull(argv[2], NULL, 10),
                                .dump_directory = argv[3], .fetches = fetches, .fetch_count = 1};
  graphc_run_result *result = graphc_run(plan, bytes, &options);
  if (graphc_run_error(result)) {
    fprintf(stderr, "%s\n", graphc_run_error(result));
    return 1;
  }
  for (size_t i = 0; i < graphc_fetched_count(result); ++i) {
    graphc_fetched loss = graphc_get_fetched(result, i);
    printf("step %llu %s %g\n", (unsigned long long)loss.step + 1, loss.name, *(const float *)loss.data);
  }
  graphc_free_run_result(result);
  graphc_free_compilation(compiled);
  return 0;
}
