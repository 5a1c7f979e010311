# One lit suite for the tree: every .mlir and .test under test/ (dialects, passes, tools, run) is a
# test. By hand: /usr/lib/llvm-22/bin/lit -sv test/dialects [--param build=build/release];
# test/run.sh runs all of it.
import os

import lit.formats

config.name = "graphc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "bench", "ci", "runtime", "models", "stablehlo"]

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(
    root, lit_config.params.get("build", os.environ.get("GRAPHC_BUILD", "build/release"))
)
config.test_source_root = os.path.join(root, "test")
config.test_exec_root = os.path.join(build, "test", "lit" + lit_config.params.get("level", ""))

llvm_bin = os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm_bin, os.environ["PATH"]]
)
config.environment.update(
    {name: os.environ[name] for name in ("GRAPHC_LONG", "GRAPHC_MAX_CPU_ISA") if name in os.environ}
)
# Plans have no machine code of a toolkit that happens to be here.
config.environment["CUDA_HOME"] = ""
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all --enable-var-scope"

# %examples and %inputs spare the tests chains of ../..; %build holds what is not on PATH.
config.substitutions.append(("%examples", os.path.join(root, "examples")))
config.substitutions.append(("%inputs", os.path.join(root, "test", "Inputs")))
config.substitutions.append(("%build", build))
config.substitutions.append(("%root", root))
