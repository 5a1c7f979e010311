#!/usr/bin/env bash
# Data files that are missing, damaged or of another shape: one line of error with the file, the cause and the remedy, status 1.
# Good ones are decoded once into the cache, and the same samples come from a plain file, a .gz and the cache.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
export XDG_CACHE_HOME=$box/cache
python3 - <<'PY'
import gzip, os, struct
def idx(*shape): # samples x elements of bytes 0, 1, 2, ...
    count = 1
    for size in shape:
        count *= size
    values = bytes(i * 7 % 256 for i in range(count)) if len(shape) > 1 else bytes(i % 3 for i in range(count))
    return struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape) + values
def put(folder, images, labels, suffix=".gz"):
    os.makedirs(folder)
    for name, data in ("images", images), ("labels", labels):
        open(f"{folder}/{name}{suffix}", "wb").write(gzip.compress(data, mtime=0) if suffix else data)
good = idx(50, 2, 3), idx(50)
put("packed", *good)
put("plain", *good, suffix="")
put("shape", idx(50, 2, 4), idx(50))
put("count", idx(50, 2, 3), idx(49))
put("short", good[0][:-1], good[1])
put("text", b"no images at all", good[1])
put("sum", *good)
put("half", *good)
put("header", struct.pack(">HBB3I", 0, 8, 3, 2**31, 2**31, 2**31), good[1])
with open("sum/images.gz", "r+b") as file: # the sum at the end
    file.seek(-8, 2)
    byte = file.read(1)[0]
    file.seek(-8, 2)
    file.write(bytes([byte ^ 1]))
data = open("half/images.gz", "rb").read()
open("half/images.gz", "wb").write(data[:len(data) // 2])
os.mkdir("nothing")
PY
MODEL=$here/models/idx.mlir plan two 2 1 sync
refuse() { # FOLDER PATTERN
  timeout 30 graphrun two.plan --steps 3 --data_dir "$1" >refused.txt 2>&1
  local status=$?
  [ $status -eq 1 ] || fail "exit status 1 for the folder $1, got $status"
  expect refused.txt "$2" "the folder $1 must give '$2'"
  one_error_line refused.txt
  nothing_left
}
refuse nothing 'images.gz not found; looked in nothing .*--data_dir'
refuse absent 'images.gz not found; looked in absent .*which is no folder'
refuse shape 'shape/images.gz has samples of 8 elements .*expects tensor<6xf32>'
refuse count 'count/labels.gz has 49 samples, images.gz has 50'
refuse short 'short/images.gz: truncated.*promises 300 bytes of elements, found 299'
refuse text 'text/images.gz: not an IDX file'
refuse sum 'sum/images.gz: damaged gzip file.*incorrect data check'
refuse half 'half/images.gz: damaged gzip file.*truncated'
refuse header 'header/images.gz: not an IDX file.*1 TiB'
timeout 30 graphrun two.plan --steps 3 >refused.txt 2>&1
[ $? -eq 1 ] || fail "no file beside the plan"
expect refused.txt 'images.gz not found; looked in .*/usr/share/datasets.*--data_dir' "where it looked"

rm -rf cache # the good files among the damaged ones are in it
run() { timeout 60 graphrun two.plan --steps 30 "$@" >out.txt 2>err.txt || fail "graphrun $*"; }
run --data_dir packed --dump_variables first
[ "$(ls cache/graphc/*.idx | wc -l)" -eq 2 ] || fail "two decoded files in the cache, got $(ls -A cache/graphc)"
run --data_dir packed --dump_variables second
run --data_dir plain --dump_variables third
cp plain/* .
run --dump_variables beside
for weights in second third beside; do same_weights first $weights; done

# A file that is cut short while the run reads it: a named error, not a death by SIGBUS.
cut_short() { # FILE ARGUMENTS…
  local file=$1; shift
  launch timeout 60 graphrun two.plan --steps 100000000 "$@"
  await err.txt 'step [1-9]'
  truncate -s 10 "$file"
  ends
  [ $? -eq 1 ] || fail "exit status 1 after $file was cut short"
  expect err.txt '^graphrun: .*/images.* was cut short while it was being read' "$file is named"
  nothing_left
}
python3 - <<'PY' # more than a page, so that there is something to lose
import os, struct
os.makedirs("large")
open("large/images", "wb").write(struct.pack(">HBB3I", 0, 8, 3, 20000, 2, 3) + bytes(120000))
open("large/labels", "wb").write(struct.pack(">HBBI", 0, 8, 1, 20000) + bytes(20000))
PY
cut_short large/images --data_dir large
rm -rf cache && : >cache # where nothing can be written
run --data_dir packed --dump_variables memory
same_weights first memory
echo "damaged data refused, good data the same from everywhere"
