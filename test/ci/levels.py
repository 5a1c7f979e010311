"""The part of the tests that also runs as on an older CPU, so that a machine with AVX-512 finds
faults of the code for AVX2.

Such a run sets GRAPHC_MAX_CPU_ISA to a level of x86-64. graphc then compiles for that level, and
oneDNN and this project's own kernels use no newer instructions. A level is left out where the CPU
has no more than that level: the ordinary tests are those of the level there.
`GRAPHC_MAX_CPU_ISA=x86-64-v3 test/run.sh` runs all tests that way.
"""

import os
import re

# Level, the flag of /proc/cpuinfo that only newer CPUs have, and whether it is left to --long.
LEVELS = [("x86-64-v3", "avx512f", False), ("x86-64-v2", "avx2", True)]

# Values of all kernels, bits across strategies, and the pages of the examples. With --long also
# gradients, networks and random graphs.
GTESTS = {
    "attention_test",
    "convolution_test",
    "data_test",
    "library_test",
    "matmul_test",
    "winograd_test",
}
LIT, LIT_LONG = r"^run/values\.test$", r"^run/"
PYTEST = r"^test_sync_bits$|^test_pages examples/"
PYTEST_LONG = r"^test_(bits_alone|examples|kernel_bits|micro_batches|networks|norms|optimizers|pages|random_graphs|stablehlo|strategies|sync_bits)\b"


def cpuFlags():
    """The flags of /proc/cpuinfo; none on a CPU that is not x86."""
    with open("/proc/cpuinfo") as file:
        found = re.search(r"^flags\s*: (.*)$", file.read(), re.M)
    return set(found.group(1).split()) if found else set()


def levelsOf(flags, long):
    """The levels at which some tests also run on a CPU with these flags."""
    if "GRAPHC_MAX_CPU_ISA" in os.environ:
        return []
    return [level for level, newer, isLong in LEVELS if newer in flags and (long or not isLong)]
