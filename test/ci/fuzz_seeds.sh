#!/usr/bin/env bash
# Makes the seeds of the fuzz targets from real files: build/fuzz-seeds/TARGET/. The target's name
# says what it reads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
graphc=build/release/bin/graphc
for target in build/asan/test/fuzz/fuzz_*; do
  name=$(basename "$target")
  seeds=build/fuzz-seeds/$name
  mkdir -p "$seeds"
  case $name in
    *lan*)
      printf GRAPHCPL >"$seeds/start" # the target makes a small plan of its own from it
      for model in examples/*/model.mlir; do
        folder=$(dirname "$model")
        "$graphc" "$model" -o "$seeds/$(basename "$folder").plan" 2>/dev/null
        for cluster in "$folder"/cluster*.json; do
          "$graphc" --partition "$cluster" "$model" -o "$seeds/$(basename "$folder")-$(basename "$cluster" .json).plan" 2>/dev/null
        done
      done
      "$graphc" --partition examples/embedding-bag/cluster.json --strategy '{"name": "parameter_server", "embedding_rows": "distinct"}' \
        examples/embedding-bag/model.mlir -o "$seeds/embedding-bag-distinct.plan" 2>/dev/null
      for gpus in 0 1; do
        CUDA_HOME= "$graphc" --num_gpus=$gpus --no_cublaslt --strategy '{"name": "one_device", "micro_batches": 12, "sum_leaves": 4}' \
          test/run/models/dropout.mlir -o "$seeds/loop-$gpus.plan" 2>/dev/null
      done ;;
    *luster*)
      cp runtime/common/cluster/examples/*.json "$seeds"
      for cluster in examples/*/cluster*.json; do
        cp "$cluster" "$seeds/$(basename "$(dirname "$cluster")")-$(basename "$cluster")"
      done ;;
    *dx*)
      python3 - "$seeds" <<'PY'
import gzip, struct, sys
image = struct.pack(">HBB3I", 0, 8, 3, 3, 4, 5) + bytes(range(60))
label = struct.pack(">HBB1I", 0, 8, 1, 3) + bytes([1, 2, 3])
real = struct.pack(">HBB2I", 0, 0x0D, 2, 2, 2) + struct.pack(">4f", 1, 2, 3, 4)
for name, data in {"image": image, "label": label, "float": real}.items():
    open(f"{sys.argv[1]}/{name}", "wb").write(data)
    open(f"{sys.argv[1]}/{name}.gz", "wb").write(gzip.compress(data, mtime=0))
PY
      ;;
    fuzz_npy)
      python3 - "$seeds" <<'PY'
import io, struct, sys, zipfile
def npy(descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".ljust(100) % (descr, shape) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data
for descr, width in ("|b1", 1), ("|u1", 1), ("<i2", 2), ("<u4", 4), ("<i8", 8), ("<f2", 2), ("<f4", 4), ("<f8", 8):
    open(f"{sys.argv[1]}/{descr[1:]}", "wb").write(b"n" + npy(descr, "(2, 3)", bytes(range(6 * width))))
for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
    for wide in False, True:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", method) as out, out.open("x.npy", "w", force_zip64=wide) as entry:
            entry.write(npy("<f4", "(2, 3)", bytes(24)))
        open(f"{sys.argv[1]}/zip-{method}-{wide}", "wb").write(b"z" + archive.getvalue())
PY
      ;;
    fuzz_csv)
      printf '\1a,b\n1,2\n3.5,4\n' >"$seeds/header"
      printf '\0201,"2"\r\n3.5e-3,-4\r\n' >"$seeds/quoted"
      printf '\0061;2\n;\n' >"$seeds/missing"
      printf '\031a,b,c\n1,2,"x ""y""\nz"\n' >"$seeds/named" ;;
    fuzz_text)
      printf 'a\nab\n\\n\n\\x20\nb\n=\nab a\nb' >"$seeds/small"
      { printf 'abc\na\nb\nc\n=\n'; printf 'abcab%.0s' $(seq 200); } >"$seeds/long" ;;
    fuzz_cifar)
      python3 - "$seeds" <<'PY'
import gzip, sys
records = b"".join(bytes([label]) + bytes([label * 20]) * 3072 for label in range(3))
open(f"{sys.argv[1]}/plain", "wb").write(records)
open(f"{sys.argv[1]}/packed", "wb").write(gzip.compress(records, mtime=0))
open(f"{sys.argv[1]}/short", "wb").write(records[:-1])
PY
      ;;
    fuzz_calls)
      python3 - "$seeds" <<'PY'
import random, sys
for seed in range(40): # what a call is made of, from the last byte on
    random.seed(seed)
    open(f"{sys.argv[1]}/{seed}", "wb").write(bytes(random.choices(range(256), k=160)) + bytes([seed % 4]))
PY
      ;;
    fuzz_http)
      printf 'qGET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nAuthorization: Bearer abc\r\nAccept-Encoding: gzip\r\n\r\n' >"$seeds/request"
      printf 'qHEAD http://a/?b#c HTTP/1.0\r\nContent-Length: 0\r\n\r\n' >"$seeds/absolute"
      printf 'qPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n' >"$seeds/body"
      printf 'aHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nab' >"$seeds/answer"
      printf '%s' 's{"format":1,"model":"m.mlir","state":"training","pid":11,"now":1000.5,"started":900,"restarts":2,' \
        '"progress":{"step":41,"steps":100,"epoch":2,"epochs":3,"steps_per_s":12.5,"loss":null,"metrics":[{"name":"a","value":0.5}]},' \
        '"checkpoint":{"step":40,"time":990},"max_staleness":3,"tasks":[{"name":"/job:worker/task:0","state":"running",' \
        '"devices":["CPU:0"],"pid":11,"step":41,"steps_per_second":6.5,"lag_steps":0,"staleness_steps":2,"last_heartbeat":999.5}],' \
        '"warnings_total":7,"warnings":[{"time":995,"text":"a wait lasts"}]}' >"$seeds/status" ;;
    *heckpoint*)
      python3 - "$seeds" <<'PY'
import hashlib, io, json, struct, sys, zipfile
def write(name, data):
    open(f"{sys.argv[1]}/{name}", "wb").write(data)
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".ljust(117) + "\n"
write("array", b"n\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<6f", *range(6)))
header = json.dumps({"step": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]},
                     "w": {"dtype": "F32", "shape": [1, 2], "data_offsets": [8, 16]}}).encode()
shard = struct.pack("<Q", len(header)) + header + bytes(16)
write("shard", b"s" + shard)
write("values", b"v" + shard)
array = open(f"{sys.argv[1]}/array", "rb").read()[1:]
for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
    for wide in False, True:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", method) as out:
            for name in "w", "layer/b":
                with out.open(f"{name}.npy", "w", force_zip64=wide) as entry:
                    entry.write(array)
        write(f"archive-{method}-{wide}", b"z" + archive.getvalue())
body = ('{\n  "format": 1,\n  "global_step": 12,\n  "data_position": {"train_step": 3072},\n  "data_taken": {"train_step": [3071, 3075]},\n  "shards": [\n    '
        '{"file": "ps-0.safetensors", "bytes": %d, "crc32c": "00000000", "sha256": "%s", "variables": '
        '[{"name": "w", "type": "f32", "shape": [1, 2]}]}\n  ]' % (len(shard), hashlib.sha256(shard).hexdigest()))
write("manifest", ('m%s,\n  "sha256": "%s"\n}\n' % (body, hashlib.sha256(body.encode()).hexdigest())).encode())
write("finished", b'f{"step": 1172, "steps": 1172, "epochs": 0.5}\n')
PY
      ;;
    fuzz_task | fuzz_master | fuzz_recording | fuzz_data) build/asan/test/fuzz/make_seeds "$seeds" "${name#fuzz_}" ;;
    *) echo "fuzz_seeds.sh: no seeds are known for $name; add a case" >&2; exit 1 ;;
  esac
done
