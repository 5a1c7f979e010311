"""One order of sums: a step of M micro-batches gives one device's weights and losses, bit for bit, however many replicas share them, by
which strategy they do and over how many parameter servers. test/tools/graphc/strategy.test has what cannot be shared so."""
import pytest
from box import MLP, differences, same
from formats import updates


def train(box, name, jobs, strategy, *arguments, model=MLP):
    """The weights of six steps, and the losses."""
    plan = box.compile(name, {**jobs, "strategy": strategy}, model)
    weights = box.weights(plan, "--steps", 6, "--fetch", "loss", *arguments)
    losses = box.last.out.matches("^loss .*")
    assert len(losses) == 6
    return weights, losses


def one(box, name="one", model=MLP, **settings):
    return train(box, name, {"worker": 1}, {"name": "one_device", **settings}, model=model)


def equal(box, reference, jobs, strategy, *arguments, model=MLP):
    __tracebackhide__ = True
    weights, losses = train(box, "many", jobs, strategy, *arguments, model=model)
    same(reference[0], weights)
    assert losses == reference[1]


@pytest.mark.parametrize("workers, microBatches", [(1, 8), (2, 8), (4, 8), (8, 8), (3, 6)])
def test_bits(box, workers, microBatches):
    reference = one(box, micro_batches=microBatches)
    for replication in "between_graph", "in_graph":
        settings = {"replication": replication, "micro_batches": microBatches}
        for ps in 1, 2:
            equal(box, reference, {"ps": ps, "worker": workers}, {"name": "parameter_server", **settings})
        equal(box, reference, {"worker": workers}, {"name": "all_reduce", **settings})


def test_leaves(box):
    """Leaves of three, added one after another; and as many leaves as there are replicas."""
    settings = {"micro_batches": 12, "sum_leaves": 4}
    reference = one(box, **settings)
    equal(box, reference, {"ps": 1, "worker": 2}, {"name": "parameter_server", **settings})
    equal(box, reference, {"worker": 4}, {"name": "all_reduce", **settings})
    equal(box, reference, {"worker": 2}, {"name": "mirrored", **settings})


def test_six_in_one_program(box):
    reference = one(box, micro_batches=6)
    equal(box, reference, {"worker": 3}, {"name": "mirrored", "micro_batches": 6})
    equal(box, reference, {"worker": 2}, {"name": "in_graph", "micro_batches": 6})


@pytest.mark.parametrize("workers", [4, 8])
def test_many_chunks(box, workers, transport):
    """Sums in place, of arriving messages, and of those that several gRPC streams bring."""
    wide = box.mlp(4096)
    reference = one(box, model=wide, micro_batches=8)
    for jobs, name in ({"worker": workers}, "all_reduce"), ({"ps": 1, "worker": workers}, "parameter_server"):
        equal(box, reference, jobs, {"name": name, "micro_batches": 8}, f"--transport={transport}", model=wide)


def test_comparison_can_fail(box):
    """Another shape gives other bits; the plan says which shape it has."""
    assert differences(one(box, micro_batches=8, sum_leaves=1)[0], one(box, "eight", micro_batches=8)[0])
    box.show("many", "plan-text", {"worker": 4, "strategy": {"name": "all_reduce", "micro_batches": 8}}).expect(
        'reproduced_by: "one_device with micro_batches: 8, sum_leaves: 8"')


def test_backup_workers(box):
    """They promise no bits, but as many updates."""
    strategy = {"name": "parameter_server", "replicas_to_aggregate": 2, "micro_batches": 6}
    assert updates(box.weights(box.compile("backup", {"ps": 1, "worker": 3, "strategy": strategy}), "--steps", 6)) == 6
