#!/usr/bin/env bash
# graphrun calibrate measures this machine into a file, from which graphc predicts; a second time in its place. Where nothing can be
# written, one line says so, before anything is measured.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
export XDG_CACHE_HOME=$box/cache
python=$(cat <<'PY'
import json, sys
figures = json.load(open(sys.argv[1]))
links = [figures[link][key] for link in ("shared_memory", "grpc") for key in ("latency_us", "gigabits_per_second")]
rates = [figures[key] for key in ("version", "cores", "matmul_gflops", "memory_gigabytes_per_second", "call_nanoseconds")]
assert figures["cpu"] and all(figure > 0 for figure in links + rates), figures
PY
)
timeout 60 graphrun calibrate >out.txt 2>err.txt || fail "graphrun calibrate"
expect err.txt "^graphrun: wrote $box/cache/graphc/calibration.json$" "it says where"
[ ! -s out.txt ] || fail "nothing on standard output"
python3 -c "$python" cache/graphc/calibration.json 2>figures.txt || fail "every figure is above 0"
# Found there by itself, and by its name elsewhere.
echo '{"ps": 1, "worker": 2}' >cluster.json
mkdir -p with && cp cache/graphc/calibration.json with/figures.json
predicted() { # FROM ARGUMENTS…
  graphc --compare one_device,parameter_server,parameter_server:async,in_graph --partition cluster.json "${@:2}" "$here/models/mlp.mlir" >rows.txt 2>graphc.txt ||
    fail "graphc --compare ${*:2}"
  [ "$(grep -cE '^ (one_device|parameter_server|parameter_server:async|in_graph) +[0-9.]*[1-9][0-9.]* (ns|µs|ms|s) ' rows.txt)" -eq 4 ] || fail "four rows with a time from $1"
  expect rows.txt "^ predicted from $1;"
}
predicted "$box/cache/graphc/calibration.json"
predicted with/figures.json --calibration with/figures.json
# A second time: the file is replaced as a whole.
echo 'what stood here before' >with/figures.json
timeout 60 graphrun calibrate -o with/figures.json 2>err.txt || fail "graphrun calibrate, a file that is there"
python3 -c "$python" with/figures.json 2>figures.txt || fail "the new figures are in its place"
[ "$(ls with)" = figures.json ] || fail "nothing else is left there"
refuse() { # PATH PATTERN
  timeout 60 graphrun calibrate -o "$1" >out.txt 2>err.txt
  [ $? -eq 1 ] || fail "exit status 1 where $1 cannot be written"
  one_error_line err.txt
  expect err.txt "^graphrun: $1: $2"
}
refuse with/figures.json/inside 'Not a directory'
refuse /proc/none/figures.json 'No such file or directory'
refuse with 'Is a directory'
echo "measured twice, predicted from, refused three times"
