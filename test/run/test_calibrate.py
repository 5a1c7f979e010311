"""graphrun calibrate measures this machine into a file, from which graphc predicts."""
import json
import os

import pytest
from box import MLP


@pytest.fixture(autouse=True)
def cache(box):
    box.environment["XDG_CACHE_HOME"] = str(box / "cache")
    return box / "cache/graphc/calibration.json"


def above(path):
    """Every figure is above 0."""
    figures = json.loads(path.read_text())
    links = [figures[link][key] for link in ("shared_memory", "grpc") for key in ("latency_us", "gigabits_per_second")]
    rates = [figures[key] for key in ("version", "cores", "matmul_gflops", "memory_gigabytes_per_second", "call_nanoseconds")]
    assert figures["cpu"] and all(figure > 0 for figure in links + rates), figures


def predicted(box, source, *arguments):
    """Four rows with a time from this file."""
    box.write("cluster.json", {"ps": 1, "worker": 2})
    rows = box.graphc("--compare", "one_device,parameter_server,parameter_server:async,in_graph", "--partition", "cluster.json", *arguments, MLP).out
    assert len(rows.matches(r"^ (?:one_device|parameter_server|parameter_server:async|in_graph) +[0-9.]*[1-9][0-9.]* (?:ns|µs|ms|s) ")) == 4
    rows.expect(f"^ predicted from {source};")


def test_found(box, cache):
    """By itself where it is written, and by its name elsewhere; a second time the file is replaced as a whole."""
    run = box.graphrun("calibrate")
    run.err.expect(f"^graphrun: wrote {cache}$")
    assert not run.out.text()
    above(cache)
    box.write("with/figures.json", cache.read_text())
    predicted(box, cache)
    predicted(box, "with/figures.json", "--calibration", "with/figures.json")
    box.write("with/figures.json", "what stood here before\n")
    box.graphrun("calibrate", "-o", "with/figures.json")
    above(box / "with/figures.json")
    assert os.listdir(box / "with") == ["figures.json"]


@pytest.mark.parametrize("path, words", [("with/figures.json/inside", "Not a directory"), ("/proc/none/figures.json", "No such file or directory"), ("with", "Is a directory")])
def test_refused(box, path, words):
    """Where nothing can be written, one line says so, before anything is measured."""
    box.write("with/figures.json", "")
    box.refused(f"^graphrun: {path}: {words}", "calibrate", "-o", path, status=1)
