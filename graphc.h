/*===- graphc.h - graphc for programs in C, and in whatever calls C ------------------------------------------------------===*
 *
 * The compiler (link graphc::compiler of find_package(graphc COMPONENTS compiler)) and a run in this process (graphc::runtime).
 * In C++: passes/compiler/Compiler.h and runtime/session/Run.h, of which these are thin wraps.
 *
 * Results are objects that the caller frees; what functions give of them lives as long as they do. A structure of options begins with
 * its own size, so that a program compiled against an older header keeps its meaning; all that is zero is the default:
 *     graphc_run_options options = {.size = sizeof(options), .epochs = 5};
 * Any number of threads may call at once, each with objects of its own. Nothing is printed, no signal is handled.
 *
 *===--------------------------------------------------------------------------------------------------------------------===*/
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
  int soft_placement; /* a device that the model names and the cluster lacks is a remark, not an error */
  int no_cublaslt; /* all products of GPUs are compiled */
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

/* A model in text or bytecode, and what cluster.json says (NULL: one task). `name` stands for the model in messages and in the plan.
 * `options` may be NULL. Never NULL. */
graphc_compilation *graphc_compile(const void *model, size_t model_bytes, const char *name, const char *cluster_json,
                                   const graphc_compile_options *options);
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
  int (*stop)(
      void *context); /* NULL; asked a few times a second, on another thread: not 0 ends the run at the next step */
  void *context;
} graphc_run_options;

/* The numbers of DataType in runtime/plan/plan.proto. */
typedef struct graphc_fetched {
  const char *name;
  uint64_t step; /* global */
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
/* 1 and the value, or 0 where there is none: the mean of the last epoch; "accuracy", "train accuracy". */
int graphc_run_loss(const graphc_run_result *result, double *value);
int graphc_run_metric(const graphc_run_result *result, const char *name, double *value);
size_t graphc_fetched_count(const graphc_run_result *result);
graphc_fetched graphc_get_fetched(const graphc_run_result *result, size_t index);
void graphc_free_run_result(graphc_run_result *result);

#ifdef __cplusplus
}
#endif
#endif
