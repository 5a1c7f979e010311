"""What attention keeps: no scores from the forward pass to the backward pass, and not all of them at once."""
from formats import blocks, number

MIB = 1 << 20


def model(layers, sequence, heads=4, width=8):
    """`layers` of attention, each of a product of its own, with their gradients."""
    rows, kind = heads * sequence, f"tensor<{heads}x{sequence}x{width}xf32>"
    flat = f"tensor<{rows}x{width}xf32>"
    head, body, x = [], [], "%x0"
    for layer in range(layers):
        head.append(f"graph.variable @w{layer} : tensor<{width}x{width}xf32> = #graph.glorot_uniform<seed = {layer}>")
        body.append(f"""\
  %w{layer} = graph.read @w{layer} : tensor<{width}x{width}xf32>
  %p{layer} = graph.matmul {x}, %w{layer} : ({flat}, tensor<{width}x{width}xf32>) -> {flat}
  %q{layer} = graph.reshape %p{layer} : ({flat}) -> {kind}
  %a{layer} = graph.attention %q{layer}, %q{layer}, %q{layer} {{causal}} : ({kind}, {kind}, {kind}) -> {kind}
  %x{layer + 1} = graph.reshape %a{layer} : ({kind}) -> {flat}
""")
        x = f"%x{layer + 1}"
    return "\n".join(head) + f"""
graph.dataset @d : ({flat}) = #graph.synthetic<samples = 3>
graph.func @step() -> tensor<f32> attributes {{role = #graph.role<train>}} {{
  %batch = graph.next_batch @d {{batch = 1}} : tensor<1x{rows}x{width}xf32>
  %x0 = graph.reshape %batch : (tensor<1x{rows}x{width}xf32>) -> {flat}
{"".join(body)}  %square = graph.multiply {x}, {x} : {flat}
  %loss = graph.reduce_mean %square dimensions = [0, 1] : ({flat}) -> tensor<f32>
  graph.minimize %loss {{optimizer = #graph.sgd<learning_rate = 0.1>}} : tensor<f32>
  graph.return %loss : tensor<f32>
}}
"""


def arena(box, layers, sequence):
    box.write("attention.mlir", model(layers, sequence))
    text = box.show("attention", "plan-text", {"worker": 1}, "attention.mlir").text()
    return max(number(program, "arena_bytes") for program in blocks(text, "programs"))


def test_memory_of_layers(box):
    """Scores of 512 x 512 by 4 heads are 4 MiB; three more layers take less than that."""
    one, four = arena(box, 1, 512), arena(box, 4, 512)
    assert one > 4 * MIB
    assert four - one < 4 * MIB


def test_memory_of_long_sequences(box):
    """Four times as many scores take no more memory: they are computed some rows at a time."""
    assert arena(box, 1, 1024) < 1.5 * arena(box, 1, 512)
