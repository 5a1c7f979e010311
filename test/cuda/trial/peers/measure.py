"""What the peers share: cases, data, and how a step is timed. Needs NumPy, which both peers
bring."""

import argparse
import json
import sys
import time

ROUNDS = 3


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("--device", default="gpu", help="cpu: to try this script where no GPU is")
    return parser.parse_args()


def cases(options):
    with open(options.cases) as file:
        return [case for case in json.load(file)["time"] if options.only in case["name"]]


def missing(peer, options, why, case=None):
    """Of one case, or of all."""
    for each in [case] if case else cases(options):
        print(json.dumps(dict(peer=peer, case=each["name"], why=why)), flush=True)
    if not case:
        sys.exit(0)


def batches(case):
    """Eight of (samples, classes), as a data set gives them to graphc."""
    import numpy

    random = numpy.random.RandomState(7)
    shape = case["batch"], case["layers"][0]
    return [
        (
            random.rand(*shape).astype("float32"),
            random.randint(0, case["layers"][-1], shape[0]).astype("int32"),
        )
        for _ in range(8)
    ]


def report(peer, case, step, wait, options):
    """mean_us: of steps of which only the last one is waited for, the median of the rounds.
    synced_us: the median of steps that each are."""
    begun = time.perf_counter()
    wait(step())
    first = time.perf_counter() - begun
    for _ in range(10):
        wait(step())
    begun = time.perf_counter()
    for _ in range(10):
        value = step()
    wait(value)
    each = (time.perf_counter() - begun) / 10
    count = max(10, min(200_000, int(options.seconds / ROUNDS / max(each, 1e-7))))
    means = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        for _ in range(count):
            value = step()
        wait(value)
        means.append((time.perf_counter() - begun) / count)
    synced = []
    for _ in range(min(count, 200)):
        begun = time.perf_counter()
        wait(step())
        synced.append(time.perf_counter() - begun)
    print(
        json.dumps(
            dict(
                peer=peer,
                case=case["name"],
                mean_us=round(sorted(means)[ROUNDS // 2] * 1e6, 3),
                least_us=round(min(means) * 1e6, 3),
                synced_us=round(sorted(synced)[len(synced) // 2] * 1e6, 3),
                first_s=round(first, 3),
                steps=count,
            )
        ),
        flush=True,
    )
