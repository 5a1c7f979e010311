"""The cases of device.sh in PyTorch: a step is one CUDA graph, of eager kernels ("torch") and of
torch.compile's ("torch-compile").
usage: torch_gpu.py CASES.json [--seconds N] [--only NAME] [--device cpu]"""

from measure import arguments, batches, cases, missing, report

options = arguments()
try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    missing("torch", options, str(error))

GPU = options.device != "cpu"
if GPU and not torch.cuda.is_available():
    missing("torch", options, "PyTorch sees no GPU")
DEVICE = "cuda" if GPU else "cpu"


def product(a, b, precision):
    return (a.bfloat16() @ b.bfloat16()).float() if precision == "bf16" else a @ b


def weights(*shape):
    return torch.empty(shape, device=DEVICE).uniform_(-0.05, 0.05)


def null(case):
    w = torch.ones(1, device=DEVICE, requires_grad=True)
    return [w], lambda: (w * w).sum(), None


def matmul(case):
    a, b = weights(case["n"], case["n"]), weights(case["n"], case["n"])
    return [], lambda: product(a, b, case["precision"]), None


def mlp(case):
    sizes = case["layers"]
    parameters = [
        p for i, o in zip(sizes, sizes[1:]) for p in (weights(i, o), torch.zeros(o, device=DEVICE))
    ]
    for p in parameters:
        p.requires_grad_()
    data = [(torch.from_numpy(x), torch.from_numpy(y).long()) for x, y in batches(case)]
    if GPU:
        data = [(x.pin_memory(), y.pin_memory()) for x, y in data]
    x, y = (piece.to(DEVICE) for piece in data[0])
    number = [0]

    def feed():
        number[0] += 1
        for to, piece in zip((x, y), data[number[0] % len(data)]):
            to.copy_(piece, non_blocking=True)

    def loss():
        h = x
        for w, b in zip(parameters[:-2:2], parameters[1:-2:2]):
            h = F.relu(product(h, w, case["precision"]) + b)
        return F.cross_entropy(product(h, parameters[-2], case["precision"]) + parameters[-1], y)

    return parameters, loss, feed if case["fed"] else None


def trained(parameters, forward):
    """One step as a function without arguments; what it gives stays where it is."""
    if not parameters:
        return forward

    def step():
        value = forward()
        gradients = torch.autograd.grad(value, parameters)
        with torch.no_grad():
            torch._foreach_add_(parameters, gradients, alpha=-0.01)
        return value

    return step


def captured(step):
    """The step as one CUDA graph, after it was tried on a stream beside, as PyTorch asks for."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


for peer in "torch", "torch-compile":  # compiling takes long: last
    for case in cases(options):
        torch.backends.cuda.matmul.allow_tf32 = case["precision"] == "tf32"

        def make():
            parameters, forward, feed = {"null": null, "matmul": matmul, "mlp": mlp}[case["kind"]](
                case
            )
            step = trained(
                parameters, torch.compile(forward) if peer == "torch-compile" else forward
            )
            step = captured(step) if GPU else step
            return (lambda: (feed(), step())) if feed else step

        try:
            step = make()
        except Exception as error:  # one that cannot be made must not lose the others
            missing(
                peer,
                options,
                f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}",
                case,
            )
            continue
        report(peer, case, step, lambda _: torch.cuda.synchronize() if GPU else None, options)
