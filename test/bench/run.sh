#!/usr/bin/env bash
# Measures this project beside its peers, interleaved.   test/bench/run.sh [single|distributed|networks|ingraph|link|compile|products|imported|flood|session start|session looked-at|before BIN|all]
#   [--rounds N] [--report] [--max_cpu_isa x86-64-v3]
#   single        one process: linreg, mlp, resnet20, gpt and vit, 1 and 2 threads; TensorFlow, also by XLA, JAX, PyTorch, also by torch.compile
#   distributed   tasks as processes: parameter server (null, mlp, dense, resnet20, gpt), all-reduce; TensorFlow, PyTorch DDP and gloo
#   networks      what of these is resnet20 and gpt alone
#   ingraph       one client, the model over two tasks: linreg, pingpong (ten hops), mlp; TensorFlow; part of distributed
#   link          large tensors over gRPC on a link of 1 Gbit/s; iperf3 (test/bench/link.py); no part of all
#   compile       graphc alone: CPU time and memory on models of 500 to 4,000 operations, and --compare over 1,000 workers
#                 (test/bench/compile.py); no part of all
#   products      which of oneDNN's kernels, or of this project's own, is faster for a product, by its shape (test/bench/products.cpp); no part of all
#   imported      mlp, resnet20, gpt and vit as JAX has them, imported (docs/import.md), beside JAX and our own models (test/bench/imported.py);
#                 no part of all
#   flood         a run by hand whose port a neighbour floods (test/bench/flood.py); no part of all
#   session start how fast 50 and 200 tasks make their first step; session looked-at: what it costs
#                 that somebody asks for a run's metrics (test/bench/session.py); no part of all
#   before BIN    this build beside an earlier one, whose graphc and graphrun lie in BIN, in turns (test/bench/before.py); no part of all
#   --rounds N    how often each is measured (3); the figure of a peer is the median of its rounds
#   --report      also writes docs/benchmarks.md (not link); with single, the table for this kind of CPU
#   --max_cpu_isa x86-64-v3   limits this project and the peers to AVX2, as on a CPU without AVX-512
# One JSON object a line; the last lines are ratios. PEERS names the folder of
# test/bench/peers/setup.sh (build/peers); a peer that is not installed is left out, and a line on
# stderr says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools/setup.sh
mkdir -p build/bench
{ cmake --preset release &&
  cmake --build --preset release --target graphc graphrun; } >build/bench/build.log 2>&1 ||
  { tail -30 build/bench/build.log >&2; exit 1; }
export GRAPHC_ROOT=$PWD PATH=$PWD/build/release/bin:$PATH
case ${1:-} in link | flood) exec /usr/bin/python3 "test/bench/$1.py" "${@:2}" ;; esac # with pytest's modules, as test/run
if [ "${1:-}" = products ]; then
  cmake --build --preset release --target bench_products >build/bench/build.log 2>&1 ||
    { tail -30 build/bench/build.log >&2; exit 1; }
  case "${2:-}" in avx2) export ONEDNN_MAX_CPU_ISA=AVX2 ;; sse) export ONEDNN_MAX_CPU_ISA=SSE41 ;; esac
  OMP_NUM_THREADS=1 exec taskset -c 0 build/release/bin/bench_products "${@:2}"
fi
[ "${1:-}" != compile ] || exec python3 test/bench/compile.py "${@:2}"
[ "${1:-}" != imported ] || exec python3 test/bench/imported.py "${@:2}"
[ "${1:-}" != session ] || exec python3 test/bench/session.py "${@:2}"
[ "${1:-}" != before ] || exec python3 test/bench/before.py "${@:2}"
exec python3 test/bench/driver.py "$@"
