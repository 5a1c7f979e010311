from box import HERE

HEAD, FRAME, CREDIT, WORD = 24, 48, 16, 8


def test_control_bytes(box):
    """Over gRPC a step of a parameter server takes one message each way and worker, and one more
    for the control message: a slot that is free again is told with one of them. What they carry
    besides payload is known to the byte, but for messages that share a head."""
    plan = box.servers("null", 2, 1, model=HERE.parent / "bench/models/null.mlir")
    box.graphrun(plan, "--steps", 400, "--transport=grpc", "--stats", "stats.json")
    tasks = box.json("stats.json")["tasks"]
    value = HEAD + FRAME + CREDIT  # parameters or gradient, and the credit of the last ones
    word = HEAD + FRAME + WORD  # the credit of which is part of the next parameters
    # Among workers that credit has nothing to go with.
    want = {
        "/job:ps/task:0": 4 * value + word + CREDIT,
        "/job:worker/task:0": 2 * value + word + CREDIT + word + HEAD + CREDIT,
        "/job:worker/task:1": 2 * value + word + HEAD + CREDIT,
    }
    for name, most in want.items():
        assert most - 3 * HEAD <= tasks[name]["control_bytes"] / tasks[name]["steps"] <= most, name
