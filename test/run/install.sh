#!/usr/bin/env bash
# cmake --install gives a tree that can be moved and found by find_package(graphc), also by examples/embed; the runtime's tarball is small and runs a
# plan whose products are the library's (oneDNN) in a root that has nothing but glibc.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
timeout 60 graphrun two.plan --steps 30 --dump_variables here >out.txt 2>&1 || fail "the run in the build tree"
sed 's/x64x/x128x/g; s/<64x/<128x/g' "$here/models/mlp.mlir" >wide.mlir
MODEL=wide.mlir plan wide 2 1 sync
graphc --partition wide.json wide.mlir --emit=scheduled 2>graphc.txt | grep -c dist.library_call >calls.txt
[ "$(cat calls.txt)" -ge 4 ] || fail "products of oneDNN in the wide model, got $(cat calls.txt)"
timeout 60 graphrun wide.plan --steps 30 --dump_variables wide-here >out.txt 2>&1 || fail "the wide model in the build tree"

cmake --install "$GRAPHC_BUILD" --prefix "$box/first" >install.txt 2>&1 || fail "cmake --install"
mkdir moved && mv first moved/graphc || fail "the move"
grep -rlI "$GRAPHC_ROOT" moved/graphc/lib/cmake && fail "the package names the source tree"
for tool in graphc graphrun graph-opt; do
  "moved/graphc/bin/$tool" --version >version.txt 2>&1 || fail "$tool of the moved tree"
done
echo '{"ps": 1, "worker": 2, "strategy": {"name": "parameter_server"}}' >cluster.json
cmake -S "$here/consumer" -B consumer -G Ninja -DCMAKE_PREFIX_PATH="$box/moved/graphc" -DCMAKE_CXX_COMPILER=clang++-22 \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DMODEL="$here/models/mlp.mlir" -DCLUSTER="$box/cluster.json" \
  >consumer.txt 2>&1 && cmake --build consumer >>consumer.txt 2>&1 || fail "the consumer's build"
consumer/inspect consumer/model.plan >tasks.txt 2>&1 || fail "the consumer's program"
printf '/job:ps/task:0\n/job:worker/task:0\n/job:worker/task:1\ncan be trained\n' | sort | diff - <(sort tasks.txt) || fail "what the consumer says of the plan"
timeout 60 moved/graphc/bin/graphrun consumer/model.plan --steps 30 --dump_variables moved-weights >out.txt 2>&1 || fail "graphrun of the moved tree"
same_weights here moved-weights

# Compiler and runtime as libraries of a program in C++ and of one in C, with the bits of graphc and graphrun.
cmake -S "$here/../../examples/embed" -B embedded -G Ninja -DCMAKE_PREFIX_PATH="$box/moved/graphc" -DCMAKE_CXX_COMPILER=clang++-22 \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld >embed.txt 2>&1 && cmake --build embedded >>embed.txt 2>&1 || fail "the build of examples/embed"
compile one '{"worker": 1}' && MODEL=wide.mlir compile wide-one '{"worker": 1}'
run one.plan --steps 30 --dump_variables one && run wide-one.plan --steps 30 --dump_variables wide-one
timeout 60 embedded/embed "$here/models/mlp.mlir" 30 embedded-one >out.txt 2>err.txt || fail "the program in C++"
expect out.txt '^30 steps, loss [0-9]'
timeout 60 embedded/embed-c wide.mlir 30 embedded-wide >out.txt 2>err.txt || fail "the program in C, with products of oneDNN"
expect out.txt '^step 29 loss [0-9]'
same_weights one embedded-one
same_weights wide-one embedded-wide
sed 's/) -> tensor<.*>$/) -> tensor<7x7xf32>/' "$here/models/mlp.mlir" >broken.mlir
embedded/embed broken.mlir 1 none >out.txt 2>err.txt && fail "a broken model is compiled by the program in C++"
graphc broken.mlir -o none.plan 2>graphc.txt && fail "a broken model is compiled by graphc"
cmp -s err.txt graphc.txt || { diff err.txt graphc.txt; fail "the program and graphc say the same of a broken model"; }

command -v cpack >/dev/null || { echo "skipped: cpack is missing, so no tarball (installed, moved, found and embedded as it should be)"; exit 77; }
cpack --config "$GRAPHC_BUILD/CPackConfig.cmake" -B "$box/packed" >cpack.txt 2>&1 || fail "cpack"
runtime=$(ls packed/*-runtime.tar.gz) && onednn=$(ls packed/*-onednn.tar.gz) || fail "two tarballs"
size=$(stat -c %s "$runtime")
[ "$size" -le 20000000 ] || fail "the runtime's tarball has at most 20 MB, not $size bytes"

# A root with glibc, /proc, /dev and the tarballs.
mkdir -p root/{opt/graphc,proc,dev,scratch,etc,lib64,lib/x86_64-linux-gnu}
tar -xf "$runtime" -C root/opt/graphc && tar -xf "$onednn" -C root/opt/graphc || fail "unpacking"
for library in libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0 libresolv.so.2; do
  cp -L "/lib/x86_64-linux-gnu/$library" root/lib/x86_64-linux-gnu/ || fail "no $library"
done
cp -L /lib64/ld-linux-x86-64.so.2 root/lib64/
cp wide.plan root/scratch/
find root -name 'libLLVM*' -o -name 'libMLIR*' | grep -q . && fail "LLVM is in the tarball"
enter=(unshare --mount)
[ "$(id -u)" -eq 0 ] && "${enter[@]}" true 2>/dev/null || enter=(unshare --user --map-root-user --mount)
if ! "${enter[@]}" sh -c 'mount --rbind /proc root/proc && mount --rbind /dev root/dev && PATH=$PATH:/usr/sbin chroot root /lib64/ld-linux-x86-64.so.2 --version' >/dev/null 2>&1; then
  echo "skipped: chroot is not permitted here, so no run in a bare root (installed, moved, found, embedded; a tarball of $((size / 1000000)) MB)"
  exit 77
fi
timeout 60 "${enter[@]}" sh -c "mount --rbind /proc root/proc && mount --rbind /dev root/dev && cd / &&
  PATH=\$PATH:/usr/sbin HOME=/scratch TMPDIR=/scratch exec chroot $box/root /opt/graphc/bin/graphrun /scratch/wide.plan --steps 30 --dump_variables /scratch/weights" >bare.txt 2>&1 ||
  fail "the run in a bare root"
same_weights wide-here root/scratch/weights
echo "installed, moved, found, embedded; a tarball of $((size / 1000)) kB and the library run where there is only glibc"
