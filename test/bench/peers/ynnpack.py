"""Limits YNNPACK, with which XLA computes products on CPUs, to AVX2. YNNPACK asks only the CPU
which instructions it has: neither the environment nor --xla_cpu_max_isa limits it."""

import ctypes
import subprocess

# ynn::arch_flag up to fma3 (ynnpack/base/arch.h). The higher bits are AVX-512 and AMX.
AVX2 = 0x7F


def limitToAvx2(library):
    """Sets YNNPACK's flags in a library that is loaded and has not computed anything yet. `library`
    is a part of its file's name. Raises an exception if the library has no such flags."""
    with open("/proc/self/maps") as maps:
        start, path = next(
            (line.split("-")[0], line.split()[-1]) for line in maps if library in line
        )
    symbols = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    of = {line.split()[-1]: line.split()[0] for line in symbols.splitlines()}
    name = "ZN3ynn24get_supported_arch_flagsEvE5flags"

    def at(kind, symbol):
        return kind.from_address(int(start, 16) + int(of[symbol], 16))

    at(ctypes.c_uint64, "_Z" + name).value = AVX2
    at(ctypes.c_uint8, "_ZGV" + name).value = 1  # computed already
