"""Bad models: each gives one clear error with a place, or works; none crashes, hangs, or prints a
compiler's insides.

usage: hostile.py FOLDER [NAME]
"""

import os
import re
import resource
import subprocess
import sys

LIMIT = 120  # seconds; each takes a few at most on an idle machine
MEMORY = 3 << 30  # bytes of addresses
SAID = 20000  # bytes; however long a line of the model, or an attribute that a message quotes
NEVER = r"Stack dump|PLEASE submit|terminate called|Assertion|internal error|see current operation|std::|llvm::|makes no valid plan"


def predict(kind, body=" graph.return %x : T"):
    return f"graph.func @f(%x: T) -> T attributes {{role = #graph.role<predict>}} {{\n{body}\n}}\n".replace(
        "T", kind
    )


def train(body, head="graph.variable @w : tensor<f32> = #graph.zeros\n"):
    return (
        head
        + "graph.func @f() attributes {role = #graph.role<train>} {\n"
        + body
        + "\n graph.return\n}\n"
    )


STEP = " graph.minimize %w {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>"
READ = " %w = graph.read @w : tensor<f32>\n"
VECTOR = "tensor<4xf32>"
KINDS = "static ranked tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64 with at most 16 dimensions"


def chain(count):
    lines = [f" %v{i + 1} = graph.tanh %v{i} : {VECTOR}" for i in range(count)]
    return predict(
        VECTOR,
        "\n".join(
            [f" %v0 = graph.negate %x : {VECTOR}", *lines, f" graph.return %v{count} : {VECTOR}"]
        ),
    )


def trainedChain(count):
    lines = [f" %v{i + 1} = graph.multiply %v{i}, %v0 : {VECTOR}" for i in range(count)]
    body = [
        f" %v0 = graph.read @w : {VECTOR}",
        *lines,
        f" %loss = graph.reduce_sum %v{count} dimensions = [0] : ({VECTOR}) -> tensor<f32>",
        STEP.replace("%w", "%loss"),
    ]
    return train("\n".join(body), f"graph.variable @w : {VECTOR} = #graph.zeros\n")


def scopes(count):
    """An op in so many regions."""
    body = (
        f" %y = graph.scope -> ({VECTOR}) {{\n" * count
        + f" %y = graph.tanh %x : {VECTOR}\n"
        + f" graph.yield %y : {VECTOR}\n }}\n" * count
    )
    return predict(VECTOR, body + f" graph.return %y : {VECTOR}")


def pieces(count):
    kind = f"tensor<{4 * count}xf32>"
    text = f" %y = graph.concatenate {', '.join(['%x'] * count)} dimension = 0 : ({', '.join([VECTOR] * count)}) -> {kind}\n"
    return predict(VECTOR, text + f" graph.return %y : {kind}").replace(
        f"-> {VECTOR} attributes", f"-> {kind} attributes"
    )


def manyFeeds(count):
    feeds = ", ".join(f"%x{i}: {VECTOR}" for i in range(count))
    body = "".join(
        f" %s{i} = graph.add %{'x0' if i == 0 else f's{i - 1}'}, %x{i} : {VECTOR}\n"
        for i in range(count)
    )
    return predict(VECTOR, body + f" graph.return %s{count - 1} : {VECTOR}").replace(
        f"%x: {VECTOR}", feeds
    )


def manyVariables(count):
    head = "".join(f"graph.variable @w{i} : {VECTOR} = #graph.zeros\n" for i in range(count))
    body = [f" %v{i} = graph.read @w{i} : {VECTOR}" for i in range(count)] + [
        f" %s0 = graph.tanh %v0 : {VECTOR}"
    ]
    body += [f" %s{i} = graph.add %s{i - 1}, %v{i} : {VECTOR}" for i in range(1, count)]
    body += [
        f" %loss = graph.reduce_sum %s{count - 1} dimensions = [0] : ({VECTOR}) -> tensor<f32>",
        STEP.replace("%w", "%loss").replace("sgd<", "momentum<momentum = 0.9, "),
    ]
    return train("\n".join(body), head)


def on(device):
    return predict(
        VECTOR,
        f" %y = graph.tanh %x {{graph.device = #graph.device<\"{device}\">}} : {VECTOR}\n graph.return %y : {VECTOR}",
    )


def stage(name, text):
    return f'module attributes {{graph.stage = "{name}"}} {{\n{text}}}\n'


def unary(kind):
    return predict(kind, " %y = graph.negate %x : T\n graph.return %y : T")


def within(before, middle, after, count=100000):
    return before * count + middle + after * count


def attribute(text):
    return f"module attributes {{a.b = {text}}} {{\n{predict(VECTOR)}}}\n"


def rate(schedule):
    return train(READ + STEP.replace("learning_rate = 0.1", f"learning_rate = {schedule}"))


def aliases(first, following, use, count=100000):
    """Each is made of the one before it, `{}`, and `use` is made of the last."""
    return (
        "\n".join([first.format("0"), *(following.format(i, i - 1) for i in range(1, count))])
        + "\n"
        + use.replace("LAST", str(count - 1))
    )


def negated(more):
    return predict(VECTOR, f" %y = graph.negate %x {more} : T\n graph.return %y : T")


def calls(count):
    """A chain of functions, the first of which calls itself where `count` is negative."""
    body = "".join(
        f"graph.func private @f{i}(%x: T) -> T {{\n %y = graph.call @f{(i + 1) % abs(count)}(%x) : (T) -> T\n graph.return %y : T\n}}\n"
        for i in range(abs(count))
    )
    return (
        body + predict("T", " %y = graph.call @f0(%x) : (T) -> T\n graph.return %y : T")
    ).replace("T", VECTOR)


WARM = "#graph.linear_warmup<steps = 1, learning_rate = "
TOO_DEEP = "error: brackets are nested too deeply here, expected at most 500 open ones"
ENDLESS = r"error: aliases of aliases stand for more than \d+ MiB of text here"
DOUBLE = "#a0 = [1]", "#a{0} = [#a{1}, #a{1}]"
GRID = "tensor<4294967296x4294967296xf32>"
NOTHING = 'there is nothing to compile: a module of stage "{}" needs a {}'

# name: (text or bytes, what the first line of stderr says after the file's name; None where it
# compiles)
CASES = {
    "empty": ("", r":1:1: error: " + NOTHING.format("graph", "graph.func")),
    "comment": ("// nothing\n", r":1:1: error: " + NOTHING.format("graph", "graph.func")),
    "no-function": (
        "graph.variable @w : tensor<f32> = #graph.zeros\n",
        r":1:1: error: " + NOTHING.format("graph", "graph.func"),
    ),
    "private-function": (
        predict(VECTOR)
        .replace("@f", "private @f")
        .replace(" attributes {role = #graph.role<predict>}", ""),
        r":1:1: error: " + NOTHING.format("graph", "graph.func"),
    ),
    "foreign-function": (
        "func.func @f() { return }\n",
        r":1:1: error: there is nothing to compile: these are functions that a model calls; expected that before this file: graphc model.mlir ",
    ),
    "foreign-op": (
        predict(VECTOR, " %y = arith.addf %x, %x : T\n graph.return %y : T"),
        r":2:7: error: 'arith.addf' op stands in graph.func @f, expected ops of the graph dialect",
    ),
    "unknown-op": (
        predict(VECTOR, " %y = graph.conv %x : T\n graph.return %y : T"),
        r":2:7: error: custom op 'graph.conv' is unknown; did you mean 'graph.convolution'",
    ),
    "two-trainings": (
        train(READ + STEP) + train(READ + STEP, "").replace("@f", "@g"),
        r":7:1: error: 'graph.func' op is the second one of role train; a run has one function a role",
    ),
    "no-role": (
        predict(VECTOR).replace(" attributes {role = #graph.role<predict>}", ""),
        r":1:1: error: 'graph.func' op requires attribute 'role'",
    ),
    "unread-variable": (
        train(
            READ + STEP,
            "graph.variable @w : tensor<f32> = #graph.zeros\ngraph.variable @u : tensor<f32> = #graph.zeros\n",
        ),
        None,
    ),
    "no-dataset": (
        train(" %x = graph.next_batch @nowhere {batch = 2} : tensor<2xf32>"),
        r":3:7: error: 'graph.next_batch' op no data set @nowhere in this module, expected a graph.dataset",
    ),
    "loss-of-nothing": (
        train(" %w = graph.constant dense<1.0> : tensor<f32>\n" + STEP, ""),
        r":3:2: error: 'graph.minimize' op loss depends on no trainable variable",
    ),
    "bad-global-step": (
        train(
            READ + STEP,
            "graph.variable @w : tensor<f32> = #graph.zeros\ngraph.variable @global_step : tensor<f32> = #graph.zeros\n",
        ),
        r":2:1: error: .*named 'global_step' must be a graph.variable of type 'tensor<i64>'",
    ),
    "slot-of-a-slot": (
        predict(VECTOR)
        + "".join(
            f"graph.variable @{a} : tensor<f32> = #graph.zeros {{graph.slot_of = @{b}}}\n"
            for a, b in ("ab", "bc", "ca")
        ),
        r":4:1: error: 'graph.variable' op is a slot of @b, which is a slot itself",
    ),
    "empty-dimension": (
        unary("tensor<0x4xf32>"),
        r":1:1: error: .*" + KINDS + r".*got 'tensor<0x4xf32>'",
    ),
    "dynamic": (unary("tensor<?x4xf32>"), r":1:1: error: .*" + KINDS + r".*got 'tensor<\?x4xf32>'"),
    "unranked": (predict("tensor<*xf32>"), r":1:1: error: .*" + KINDS),
    "f16": (unary("tensor<4xf16>"), r":1:1: error: .*" + KINDS + r".*got 'tensor<4xf16>'"),
    "i16": (unary("tensor<4xi16>"), r":1:1: error: .*" + KINDS),
    "ui64": (unary("tensor<4xui64>"), r":1:1: error: .*" + KINDS),
    "rank-16": (unary("tensor<" + "1x2x" * 8 + "f32>"), None),
    "rank-17": (unary("tensor<" + "1x" * 17 + "f32>"), r":1:1: error: .*" + KINDS),
    "many-elements": (unary("tensor<9223372036854775807xf32>"), r":1:1: error: .*2\^37 elements"),
    "overflowing-elements": (unary(GRID), r":1:1: error: .*2\^37 elements"),
    "overflowing-variable": (
        predict(VECTOR) + f"graph.variable @w : {GRID} = #graph.zeros\n",
        r":4:1: error: 'graph.variable' op attribute 'type' .*2\^37 elements",
    ),
    "overflowing-broadcast": (
        predict(
            "tensor<f32>",
            f" %y = graph.broadcast_in_dim %x broadcast_dimensions = [] : (T) -> {GRID}\n %z = graph.reduce_sum %y dimensions = [0, 1] : ({GRID}) -> T\n graph.return %z : T",
        ),
        r":2:7: error: 'graph.broadcast_in_dim' op result #0 .*2\^37 elements",
    ),
    "overflowing-channel": (
        f"dist.channel @c : {GRID} from @a to @b\n",
        r":1:1: error: 'dist.channel' op .*2\^37 elements",
    ),
    "inner-sizes": (
        predict(
            "tensor<4x3xf32>",
            " %y = graph.matmul %x, %x : (T, T) -> tensor<4x4xf32>\n graph.return %x : T",
        ),
        r":2:7: error: contracted dimensions differ: 3 of 'tensor<4x3xf32>' and 4 of 'tensor<4x3xf32>'",
    ),
    "result-type": (
        predict(
            "tensor<4x3xf32>",
            " %y = graph.reduce_sum %x dimensions = [0] : (T) -> tensor<4xf32>\n graph.return %x : T",
        ),
        r":2:7: error: 'graph.reduce_sum' op result must be of type 'tensor<3xf32>', got 'tensor<4xf32>'",
    ),
    "bad-device": (
        on("/jbo:worker"),
        r':2:51: error: malformed device name "/jbo:worker": unknown part "/jbo"; expected a form like /job:worker',
    ),
    "misspelt-attribute": (
        on("/job:worker").replace("{graph.device", "{graph.devcie"),
        r":2:22: error: custom op 'graph.tanh' has no attribute 'graph.devcie'; did you mean 'graph.device'\?",
    ),
    "misspelt-stage": (
        stage("plcaed", predict(VECTOR)),
        r':1:1: error: unknown stage "plcaed"; expected one of graph, differentiated,',
    ),
    **{
        f"lies-{name}": (
            stage(name, predict(VECTOR)),
            r":2:1: error: 'graph.func' op expected a device of the cluster after place, found none",
        )
        for name in ("placed", "replicated")
    },
    **{
        f"lies-{name}": (
            stage(name, predict(VECTOR)),
            r":1:1: error: " + NOTHING.format(name, "dist.program"),
        )
        for name in ("partitioned", "outlined", "scheduled", "linalg", "llvm")
    },
    **{
        f"{what}-name": (
            f'graph.variable @"{name}" : tensor<f32> = #graph.zeros\n' + predict(VECTOR),
            r":1:1: error: 'graph.variable' op name " + says,
        )
        for what, name, says in (
            ("empty", "", "must not be empty"),
            ("long", "w" * 1025, "must have at most 1024 bytes, not 1025"),
            ("control", "a\\1Bb", "must have no control character"),
            ("foreign", "a\\FFb", "must be UTF-8"),
        )
    },
    "control-function": (
        predict(VECTOR).replace("@f", '@"f\\01"'),
        r":1:1: error: 'graph.func' op name must have no control character",
    ),
    "control-feed": (
        predict(VECTOR).replace(f"%x: {VECTOR}", f'%x: {VECTOR} {{graph.name = "\\07"}}'),
        r":1:1: error: 'graph.func' op attribute 'graph.name' must have no control character",
    ),
    "control-dataset": (
        'graph.dataset @"\\7F" : (tensor<f32>) = #graph.synthetic<samples = 1>\n' + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op name must have no control character",
    ),
    "control-summary": (
        predict(VECTOR, ' graph.summary "\\0A", %x : T\n graph.return %x : T'),
        r":2:2: error: 'graph.summary' op name must have no control character",
    ),
    "many-samples": (
        "graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 9223372036854775807>\n"
        + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op expected 1 to 2\^46 samples, got 9223372036854775807",
    ),
    "large-limit": (
        "graph.dataset @d : (tensor<i32>) = #graph.synthetic<samples = 8, limits = [4294967296]>\n"
        + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op limit 4294967296 of component 0 does not fit 'i32', which takes at most 2147483648",
    ),
    "many-components": (
        "graph.dataset @d : ("
        + ", ".join(["tensor<f32>"] * 65)
        + ") = #graph.synthetic<samples = 8>\n"
        + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op expected 1 to 64 components, got 65",
    ),
    "nan-scale": (
        'graph.dataset @d : (tensor<f32>) = #graph.idx<files = ["a"], scale = 0x7FF8000000000000>\n'
        + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op scale must be finite, got ",
    ),
    "infinite-mean": (
        "graph.variable @w : tensor<f32> = #graph.normal<mean = 0x7FF0000000000000>\n"
        + predict(VECTOR),
        r":1:1: error: 'graph.variable' op mean must be finite, got ",
    ),
    "infinite-limit": (
        "graph.variable @w : tensor<f32> = #graph.uniform<high = 0x7FF0000000000000>\n"
        + predict(VECTOR),
        r":1:1: error: 'graph.variable' op high must be finite, got ",
    ),
    "empty-file": (
        'graph.dataset @d : (tensor<f32>) = #graph.idx<files = [""]>\n' + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op file name must not be empty",
    ),
    "samples-a-step": (
        train(
            " %x = graph.next_batch @d {batch = 2147483648, micro_batches = 4294967295} : tensor<2147483648xf32>",
            "graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 8>\n",
        ),
        r":3:7: error: 'graph.next_batch' op takes more than 2\^46 samples a step",
    ),
    "large-product": (
        predict(
            "tensor<2147483649x2xf32>",
            " %w = graph.constant dense<1.0> : tensor<2x2xf32>\n %y = graph.matmul %x, %w : (T, tensor<2x2xf32>) -> T\n graph.return %y : T",
        ),
        None,
    ),
    "plan": (
        b"GRAPHCPL" + bytes(64),
        r":1:1: error: this is a plan, not a model; graphrun runs it",
    ),
    "misspelt-module": (
        'module attributes {grpah.stage = "graph"} {\n' + predict(VECTOR) + "}\n",
        r":1:1: error: 'builtin.module' op has no attribute 'grpah.stage'; did you mean 'graph.stage'\?",
    ),
    "foreign-dialect": (
        "grpah.variable @w : tensor<f32> = #graph.zeros\n" + predict(VECTOR),
        r":1:1: error: custom op 'grpah.variable' is unknown; did you mean 'graph.variable'\?",
    ),
    "deep-attributes": (
        "module attributes {a = " + "[" * 100000 + "]" * 100000 + "} {}\n",
        r":1:\d+: error: brackets are nested too deeply here, expected at most 500",
    ),
    "deep-brackets": ("(" * 100000, r":1:501: error: brackets are nested too deeply here"),
    "deep-types": (predict(within("tuple<", "f32", ">")), r":1:\d+: " + TOO_DEEP),
    "deep-open-types": (attribute("tuple<" * 100000), r":1:\d+: " + TOO_DEEP),
    "deep-encodings": (predict(within("tensor<4xf32, ", "1", ">")), r":1:\d+: " + TOO_DEEP),
    "deep-schedules": (rate(within(WARM, "0.1", ">")), r":4:\d+: " + TOO_DEEP),
    "deep-dictionaries": (attribute(within("{a = ", "1", "}")), r":1:\d+: " + TOO_DEEP),
    "deep-places": (
        predict(
            VECTOR,
            " %y = graph.negate %x : T loc("
            + within("callsite(", "unknown", " at unknown)")
            + ")\n graph.return %y : T",
        ),
        r":2:\d+: " + TOO_DEEP,
    ),
    "deep-loops": (
        predict(VECTOR, within(" graph.repeat 3 {\n", "", " graph.yield\n }\n")),
        r":501:\d+: " + TOO_DEEP,
    ),
    "deep-modules": (within("module {\n", "", "}\n"), r":501:\d+: " + TOO_DEEP),
    "deep-signs": (
        attribute("affine_map<(d0) -> (" + "-" * 100000 + "d0)>"),
        r":1:\d+: error: an expression has more than 1000 operators here",
    ),
    "long-sum": (
        attribute("affine_map<(d0) -> (d0" + " + d0 mod 5" * 100000 + ")>"),
        r":1:\d+: error: an expression has more than 1000 operators here",
    ),
    "long-quotient": (
        attribute("affine_map<(d0) -> (d0" + " floordiv 3" * 100000 + ")>"),
        r":1:\d+: error: an expression has more than 1000 operators here",
    ),
    "deep-aliases": (
        aliases("#a{0} = [1]", "#a{0} = [#a{1}]", attribute("#aLAST")),
        r":\d+:\d+: " + TOO_DEEP,
    ),
    "deep-type-aliases": (
        aliases("!t{0} = f32", "!t{0} = tuple<!t{1}>", predict("!tLAST")),
        r":\d+:\d+: " + TOO_DEEP,
    ),
    "deep-function-types": (
        aliases("!t{0} = f32", "!t{0} =\n  () -> (!t{1})", predict("!tLAST")),
        r":\d+:\d+: " + TOO_DEEP,
    ),
    "deep-place-aliases": (
        aliases(
            '#p{0} = loc("a")',
            '#p{0} = loc("b"(#p{1}))',
            predict(VECTOR, " %y = graph.negate %x : T loc(#pLAST)\n graph.return %y : T"),
        ),
        r":\d+:\d+: " + TOO_DEEP,
    ),
    "endless-aliases": (
        aliases(*DOUBLE, negated("{graph.name = #aLAST}"), 60),
        r":\d+:\d+: " + ENDLESS,
    ),
    "endless-list": (
        aliases(
            *DOUBLE,
            rate("#graph.piecewise_constant<boundaries = [#aLAST], values = [0.1, 0.2]>"),
            60,
        ),
        r":\d+:\d+: " + ENDLESS,
    ),
    "endless-type": (
        aliases("!t{0} = f32", "!t{0} = tuple<!t{1}, !t{1}>", predict("!tLAST"), 60),
        r":\d+:\d+: " + ENDLESS,
    ),
    "endless-dictionary": (
        aliases(
            "#a{0} = {{}}", "#a{0} = {{a = #a{1}, b = #a{1}}}", negated("{graph.name = #aLAST}"), 60
        ),
        r":\d+:\d+: " + ENDLESS,
    ),
    "aliases": (aliases("!t0 = tensor<4xf32>", "!t{0} = !t{1}", predict("!tLAST"), 400), None),
    "400-warm-ups": (rate(within(WARM, "0.1", ">", 400)), None),
    "result-number": (
        predict(VECTOR, " %y = graph.negate %x#4000000000 : T\n graph.return %x : T"),
        r":2:\d+: error: no op has so many results",
    ),
    "many-dimensions": (
        predict("tensor<" + "1x" * 1000000 + "f32>"),
        r":1:\d+: error: a word has 2000003 characters, expected at most 4096",
    ),
    "long-number": (
        predict(
            VECTOR,
            " %y = graph.constant dense<1.0e" + "9" * 1000000 + "> : T\n graph.return %y : T",
        ),
        r":2:\d+: error: a word has \d+ characters",
    ),
    "long-attribute": (
        negated("{graph.colocate_with = @a" + "::@a" * 100000 + "}"),
        r":2:7: error: 'graph.negate' op attribute 'graph.colocate_with' must be the symbol of a variable, .* … ::@a",
    ),
    "long-name": (
        predict(VECTOR).replace("@f", '@"' + "é" * 10**6 + '"'),
        r":1:1: error: 'graph.func' op name must have at most 1024 bytes, not 2000000",
    ),
    "large-batch": (
        train(
            " %x = graph.next_batch @d {batch = 34359738368} : tensor<34359738368xf32>",
            "graph.dataset @d : (tensor<f32>) = #graph.synthetic<samples = 8>\n",
        ),
        r":3:27: error: custom op 'graph.next_batch' attribute 'batch' failed to satisfy constraint: .* maximum value is 4294967295",
    ),
    "many-files": (
        "graph.dataset @d : (tensor<3072xf32>) = #graph.cifar10<files = ["
        + ", ".join(['"a"'] * 100000)
        + "]>\n"
        + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op expected 1 to 1024 files, got 100000",
    ),
    "crop-nowhere": (
        'graph.dataset @d : (tensor<3x32x32xf32>) = #graph.cifar10<files = ["a"]> {transforms = [#graph.random_crop<padding = 4, dimension = 9223372036854775807>]}\n'
        + predict(VECTOR),
        r":1:1: error: 'graph.dataset' op dimension 9223372036854775807 is none of the component",
    ),
    **{
        f"{what}-constant": (
            predict(VECTOR, f" %y = graph.constant {value} : T\n graph.return %y : T"),
            r":2:\d+: error: .*'value' failed to satisfy constraint: .* elements are written as dense",
        )
        for what, value in (("sparse", "sparse<[[1]], [1.0]>"), ("resource", "dense_resource<a>"))
    },
    "chain-of-calls": (
        calls(-3000),
        r":11998:7: error: 'graph.call' op makes @f0 call itself: @f0 -> @f1 -> ",
    ),
    "100,000-variables": (
        predict(VECTOR)
        + "".join(f"graph.variable @w{i} : {VECTOR} = #graph.zeros\n" for i in range(100000)),
        None,
    ),
    "100,000-pieces": (pieces(100000), None),
    "deep-scopes": (
        scopes(100000),
        r":500:\d+: error: brackets are nested too deeply here, expected at most 500",
    ),
    "400-scopes": (scopes(400), None),
    "5,000-pieces": (pieces(5000), None),
    "3,000-feeds": (manyFeeds(3000), None),
    "deep-in-a-comment": ("// " + "(" * 1000 + "\n" + predict(VECTOR), None),
    "not-utf-8": (
        b"graph.func @f(%x: tensor<4xf32>\xff\xfe) {}\n",
        r":1:32: error: unexpected character",
    ),
    "noise": (
        bytes((i * 7919 + 128) % 256 for i in range(4096)),
        r":1:1: error: this is no model: neither text nor MLIR's bytecode",
    ),
    "bad-bytecode": (b"ML\xefR" + bytes(range(200, 240)), r": error: bytecode "),
    "cut-text": (predict(VECTOR)[:-3], r":\d:\d+: error: "),
    "chain-of-10,000": (chain(10000), None),
    "trained-chain-of-2,000": (trainedChain(2000), None),
    "1,000-variables": (manyVariables(1000), None),
}


def check(folder, name):
    text, expected = CASES[name]
    model, plan = os.path.join(folder, f"{name}.mlir"), os.path.join(folder, f"{name}.plan")
    with open(model, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
    try:
        done = subprocess.run(
            ["graphc", model, "-o", plan],
            capture_output=True,
            timeout=LIMIT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    except subprocess.TimeoutExpired:
        return f"longer than {LIMIT} s"
    said = done.stderr.decode(errors="replace")
    if re.search(NEVER, said):
        return f"says what no user should read:\n{said[:600]}"
    if len(said) > SAID:
        return f"says {len(said)} bytes"
    errors = re.findall(r"(?:^|: )error: ", said, re.MULTILINE)
    if expected is None:
        return (
            ""
            if done.returncode == 0 and os.path.exists(plan)
            else f"exit status {done.returncode}, expected a plan:\n{said[:600]}"
        )
    if done.returncode != 1:
        return f"exit status {done.returncode}, expected 1:\n{said[:600]}"
    if os.path.exists(plan):
        return "an error, and a plan"
    first = said.split("\n", 1)[0]
    if not first.startswith(model) or not re.match(expected, first[len(model) :]):
        return f"expected FILE{expected}\ngot {first}"
    return "" if len(errors) == 1 else f"{len(errors)} errors, expected one:\n{said[:600]}"


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    chosen = sys.argv[2:] or list(CASES)
    for name in chosen:
        if wrong := check(folder, name):
            failed += 1
            print(f"{name}: {wrong}")
    print(f"{len(chosen)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
