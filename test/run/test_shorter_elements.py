"""Elements that are computed with in a longer type: nothing behind a row is written where one
element is left (docs/decisions/2026-11-28-one-lane.md), and what is made of nothing is the least
number of the shorter one."""

import pytest
from formats import read

TYPES = {"i64": ["bf16", "i8", "ui8", "i32"], "i32": ["i8", "ui8", "bf16"], "f32": ["bf16"]}


@pytest.mark.parametrize("width", [17, 33, 65])
def test_rows(box, width):
    """Two pieces side by side: the second one's first elements stand behind the first one's last.
    By one thread and by several."""
    model, body = [], []
    for wide, narrow in ((wide, narrow) for wide, types in TYPES.items() for narrow in types):
        name = f"{wide}_{narrow}"
        model += [
            f"graph.variable @{name} : tensor<2x{width}x{wide}> = #graph.value<dense<1{'.0' if wide == 'f32' else ''}> : tensor<2x{width}x{wide}>> {{trainable = false}}",
            f"graph.variable @{name}_out : tensor<2x{2 * width}xf32> = #graph.zeros {{trainable = false}}",
        ]
        body += [
            f"%{name} = graph.read @{name} : tensor<2x{width}x{wide}>",
            f"%{name}_b = graph.add %{name}, %{name} : tensor<2x{width}x{wide}>",
            *(
                f"%{name}_{of} = graph.convert %{name}{of} : (tensor<2x{width}x{wide}>) -> tensor<2x{width}x{narrow}>"
                for of in ("", "_b")
            ),
            f"%{name}_c = graph.concatenate %{name}__b, %{name}_ dimension = 1 : (tensor<2x{width}x{narrow}>, tensor<2x{width}x{narrow}>) -> tensor<2x{2 * width}x{narrow}>",
            f"%{name}_f = graph.convert %{name}_c : (tensor<2x{2 * width}x{narrow}>) -> tensor<2x{2 * width}xf32>",
            f"graph.assign @{name}_out, %{name}_f : tensor<2x{2 * width}xf32>",
        ]
    text = "\n".join(
        [
            *model,
            "graph.func @t() -> () attributes {role = #graph.role<train>} {",
            *body,
            "graph.return",
            "}",
        ]
    )
    plan = box.compile("rows", {"worker": 1}, box.write("rows.mlir", text + "\n"))
    for threads in 1, 3:
        box.graphrun(plan, "--steps", 1, "--intra_op_threads", threads, "--dump_variables", "rows")
        for wide, types in TYPES.items():
            for narrow in types:
                assert (
                    list(read(box / f"rows/{wide}_{narrow}_out.npy")[1])
                    == ([2.0] * width + [1.0] * width) * 2
                ), (wide, narrow)


def test_windows_of_padding(box):
    """A window that lies in the padding alone has the least number of its type, which bytes are not
    computed in."""
    for element, least in (("i8", -128), ("ui8", 0), ("i32", -(2**31))):
        box.write(
            f"{element}.mlir",
            f"""graph.variable @in : tensor<1x1x1x{element}> = #graph.value<dense<5> : tensor<1x1x1x{element}>> {{trainable = false}}
graph.variable @out : tensor<1x1x2xf64> = #graph.zeros {{trainable = false}}
graph.func @t() -> () attributes {{role = #graph.role<train>}} {{
  %x = graph.read @in : tensor<1x1x1x{element}>
  %y = graph.max_pool %x window_dimensions = [1] padding_low = [1] : (tensor<1x1x1x{element}>) -> tensor<1x1x2x{element}>
  %z = graph.convert %y : (tensor<1x1x2x{element}>) -> tensor<1x1x2xf64>
  graph.assign @out, %z : tensor<1x1x2xf64>
  graph.return
}}
""",
        )
        box.graphrun(
            box.compile(element, {"worker": 1}, box / f"{element}.mlir"),
            "--steps",
            1,
            "--dump_variables",
            element,
        )
        assert list(read(box / f"{element}/out.npy")[1]) == [least, 5]
