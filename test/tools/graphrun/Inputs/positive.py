"""positive.py FILE: every figure of a calibration is above 0."""

import json
import sys

with open(sys.argv[1]) as file:
    figures = json.load(file)
links = [
    figures[link][key]
    for link in ("shared_memory", "grpc")
    for key in ("latency_us", "gigabits_per_second")
]
rates = [
    figures[key]
    for key in (
        "version",
        "cores",
        "matmul_gflops",
        "memory_gigabytes_per_second",
        "call_nanoseconds",
    )
]
assert figures["cpu"] and all(figure > 0 for figure in links + rates), figures
