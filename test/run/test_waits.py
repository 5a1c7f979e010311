from box import LOST, delay


def test_explained(box, two, transport):
    """A wait that lasts is explained (who, on what, from whom, which source line) and past
    --deadline ends the run with those words."""
    run = box.graphrun(
        two,
        "--steps",
        10,
        f"--transport={transport}",
        "--deadline",
        4,
        status=LOST,
        env=delay(worker1=60000000),
    )
    run.err.expect(
        r"^\[(ps|worker):[0-9]\] .* waits at step 1 .*[a-z]+\.mlir:[0-9]+:[0-9]+",
        r"^graphrun: .*[a-z]+\.mlir:[0-9]+:[0-9]+.*",
    )
