// Compiles a model and trains it, in this process.   embed MODEL STEPS FOLDER
#include "passes/compiler/Compiler.h"
#include "runtime/session/Run.h"

#include <iostream>

int main(int argc, char **argv) {
  if (argc != 4) {
    std::cerr << "usage: embed MODEL STEPS FOLDER\n";
    return 2;
  }
  graphc::CompileResult compiled = graphc::compileFile(argv[1]);
  for (const graphc::Diagnostic &diagnostic : compiled.diagnostics)
    std::cerr << graphc::toText(diagnostic);
  if (!compiled.plan)
    return 1;
  graphc::RunOptions options;
  options.steps = std::stoul(argv[2]);
  options.dumpDirectory = argv[3];
  absl::StatusOr<graphc::RunResult> result = graphc::run(*compiled.plan, options);
  if (!result.ok()) {
    std::cerr << result.status().message() << '\n';
    return 1;
  }
  std::cout << result->steps << " steps, mean loss " << result->loss.value_or(0) << '\n';
}
