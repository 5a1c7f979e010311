"""A plan for a CPU that is not this one, older of another maker or newer."""
import pytest

CPUS = {"bdver4": r"fma4,.* tbm, xop", "diamondrapids": "egpr"}
CLUSTERS = [{"worker": 1}, {"worker": 1, "ps": 1, "strategy": "parameter_server"}]


@pytest.mark.parametrize("cluster", CLUSTERS, ids=["alone", "launched"])
@pytest.mark.parametrize("cpu", CPUS)
def test_refused(box, cpu, cluster):
    """It is refused before it runs, by the features that are missing, and graphrun check finds it."""
    plan = box.compile("other", cluster, flags=[f"--target-cpu={cpu}"])
    run = box.refused(rf"was compiled with --target-cpu={cpu} and needs .*{CPUS[cpu]}.*, which this CPU \(.*\) does not have.*; compile it again",
                      plan, "--steps", 3, status=1, seconds=60)
    run.never("Illegal instruction")
    box.graphrun("check", plan, status=1, seconds=60).out.expect(f"needs .*{CPUS[cpu]}.*, which this CPU")


def test_any(box):
    """One for what every x86-64 has runs."""
    box.graphrun(box.compile("any", CLUSTERS[1], flags=["--target-cpu=x86-64"]), "--steps", 3).err.expect("step 3/3")
