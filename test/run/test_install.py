"""cmake --install gives a tree that can be moved and found by find_package(graphc), also by
examples/embed; the runtime's tarball is small and runs a plan whose products are the library's
(oneDNN) in a root that has nothing but glibc."""

import shutil
from pathlib import Path

import pytest
from box import BUILD, HERE, MLP, ROOT, same, servers
from machines import namespaces

COMPILERS = ["-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-22", "-DCMAKE_C_COMPILER=clang-22"]
GLIBC = ["libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libresolv.so.2"]
MOUNT = "mount --rbind /proc root/proc && mount --rbind /dev root/dev && PATH=$PATH:/usr/sbin"


@pytest.fixture
def moved(box):
    """The installed tree, elsewhere."""
    box.run("cmake", "--install", BUILD, "--prefix", box / "first")
    (box / "moved").mkdir()
    (box / "first").rename(box / "moved/graphc")
    return box / "moved/graphc"


def build(box, moved, source, folder, *more):
    box.run(
        "cmake",
        "-S",
        source,
        "-B",
        folder,
        *COMPILERS,
        f"-DCMAKE_PREFIX_PATH={moved}",
        "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld",
        *more,
    )
    box.run("cmake", "--build", folder, seconds=600)


def test_moved(box, two, moved):
    """The package does not name the source tree; the tools of the moved tree start; a consumer
    compiles a plan with them and reads it, and graphrun there gives the same weights."""
    assert not [
        path
        for path in (moved / "lib/cmake").rglob("*")
        if path.is_file() and str(ROOT) in path.read_text(errors="replace")
    ]
    for tool in "graphc", "graphrun", "graph-opt":
        box.run(moved / "bin" / tool, "--version")
    cluster = box.write(
        "cluster.json", {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server"}}
    )
    build(box, moved, HERE / "consumer", "consumer", f"-DMODEL={MLP}", f"-DCLUSTER={cluster}")
    said = box.run(box / "consumer/inspect", "consumer/model.plan")
    assert sorted(said.lines()) == sorted(
        ["/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1", "can be trained"]
    )
    here = box.weights(two, "--steps", 30)
    box.run(
        moved / "bin/graphrun", "consumer/model.plan", "--steps", 30, "--dump_variables", "there"
    )
    same(here, box / "there")


def test_embedded(box, moved):
    """Compiler and runtime as libraries of a program in C++ and of one in C, with the bits of
    graphc and graphrun; they say the same of a broken model."""
    build(box, moved, ROOT / "examples/embed", "embedded")
    box.run("embedded/embed", MLP, 30, "cpp").out.expect("^30 steps, mean loss [0-9]")
    for program in "embed", "embed-c":
        box.run(f"embedded/{program}", MLP, status=2).err.expect(f"^usage: {program} MODEL")
    box.run("embedded/embed-c", box.mlp(128), 30, "c").out.expect("^step 30 loss [0-9]")
    same(box.weights(box.compile("one", {"worker": 1}), "--steps", 30), box / "cpp")
    same(
        box.weights(box.compile("wide-one", {"worker": 1}, "mlp-128.mlir"), "--steps", 30),
        box / "c",
    )
    lines = [
        line[: line.rindex(") -> tensor<")] + ") -> tensor<7x7xf32>"
        if ") -> tensor<" in line and line.endswith(">")
        else line
        for line in MLP.read_text().splitlines()
    ]
    box.write("broken.mlir", "\n".join(lines) + "\n")
    program = box.run("embedded/embed", "broken.mlir", 1, "none", status=1)
    assert (
        program.err.text()
        == box.graphc("broken.mlir", "-o", "none.plan", status=1).err.text()
        != ""
    )


def packed(box, *components):
    """The tarballs of these components, by name."""
    if not shutil.which("cpack"):
        pytest.skip("cpack is missing")
    box.run(
        "cpack",
        "--config",
        BUILD / "CPackConfig.cmake",
        "-D",
        f"CPACK_COMPONENTS_ALL={';'.join(components)}",
        "-B",
        box / "packed",
        seconds=600,
    )
    return {
        path.name.removesuffix(".tar.gz").rsplit("-", 1)[1]: path
        for path in box.folder.glob("packed/*.tar.gz")
    }


def bareRoot(box, tarballs):
    """A root with glibc, /proc, /dev and the tarballs."""
    for folder in "opt/graphc", "proc", "dev", "scratch", "etc", "lib64", "lib/x86_64-linux-gnu":
        (box / "root" / folder).mkdir(parents=True)
    for tarball in tarballs:
        box.run("tar", "-xf", tarball, "-C", "root/opt/graphc")
    for library in GLIBC:
        shutil.copy(Path("/lib/x86_64-linux-gnu") / library, box / "root/lib/x86_64-linux-gnu")
    shutil.copy("/lib64/ld-linux-x86-64.so.2", box / "root/lib64")


def runInRoot(box, command):
    enter = namespaces(
        ["--mount"], f"{MOUNT} exec chroot root /lib64/ld-linux-x86-64.so.2 --version", box.folder
    )
    if not enter:
        pytest.skip("chroot is not permitted here, so no run in a bare root")
    box.run(
        *enter,
        "sh",
        "-c",
        f"{MOUNT} HOME=/scratch TMPDIR=/scratch exec chroot root {command}",
        name="bare-root",
    )


def test_tarball(box):
    """Of at most 20 MB and without LLVM; in a bare root with the tarballs it gives the weights of
    the build tree."""
    made = packed(box, "runtime", "libraries", "onednn")
    assert set(made) == {"runtime", "onednn"}
    assert made["runtime"].stat().st_size <= 20000000
    bareRoot(box, made.values())
    assert not [
        path
        for path in (box / "root").rglob("lib*")
        if path.name.startswith(("libLLVM", "libMLIR"))
    ]
    plan = box.servers("wide", 2, 1, model=box.mlp(128))
    assert (
        len(
            box.show("wide", "scheduled", servers(2, 1), "mlp-128.mlir").matches(
                "dist.library_call"
            )
        )
        >= 4
    ), "products of oneDNN in the wide model"
    here = box.weights(plan, "--steps", 30)
    shutil.copy(box / plan, box / "root/scratch")
    runInRoot(
        box,
        f"/opt/graphc/bin/graphrun /scratch/{plan} --steps 30 --dump_variables /scratch/weights",
    )
    same(here, box / "root/scratch/weights")


def test_tools_tarball(box):
    """graphc with its libraries compiles the same plan in a bare root."""
    made = packed(box, "tools", "llvm")
    assert set(made) == {"tools"}
    bareRoot(box, made.values())
    shutil.copy(MLP, box / "root/scratch/model.mlir")
    box.graphc("root/scratch/model.mlir", "-o", "here.plan")
    runInRoot(box, "/opt/graphc/bin/graphc /scratch/model.mlir -o /scratch/there.plan")
    assert (box / "root/scratch/there.plan").read_bytes() == (box / "here.plan").read_bytes()
