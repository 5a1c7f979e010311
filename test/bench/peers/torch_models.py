"""The networks of the benchmarks in PyTorch, for one process (single.py) and several
(torch_gloo.py)."""

import math, torch, torch.nn as nn, torch.nn.functional as F

BATCH = dict(mlp=128, mlp1=128, resnet20=64, gpt=8, linreg=1, vit=32)
V, S, D, L, HD = 512, 128, 256, 4, 4


class Block(nn.Module):
    def __init__(s, i, o, st):
        super().__init__()
        s.c1 = nn.Conv2d(i, o, 3, st, 1, bias=False)
        s.b1 = nn.BatchNorm2d(o)
        s.c2 = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        s.b2 = nn.BatchNorm2d(o)
        s.sc = None if (i == o and st == 1) else nn.Conv2d(i, o, 1, st, bias=False)

    def forward(s, x):
        y = F.relu(s.b1(s.c1(x)))
        y = s.b2(s.c2(y))
        return F.relu(y + (x if s.sc is None else s.sc(x)))


def resnet20():
    ly = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
    i = 16
    for o, st in ((16, 1), (32, 2), (64, 2)):
        for k in range(3):
            ly.append(Block(i, o, st if k == 0 else 1))
            i = o
    ly += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)]
    return nn.Sequential(*ly).to(memory_format=torch.channels_last)


class GptBlock(nn.Module):
    def __init__(s):
        super().__init__()
        s.l1 = nn.LayerNorm(D)
        s.l2 = nn.LayerNorm(D)
        s.qkv = nn.Linear(D, 3 * D)
        s.o = nn.Linear(D, D)
        s.f1 = nn.Linear(D, 4 * D)
        s.f2 = nn.Linear(4 * D, D)

    def forward(s, x):
        b, t, _ = x.shape
        q, k, v = s.qkv(s.l1(x)).view(b, t, 3, HD, D // HD).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, D)
        x = x + s.o(a)
        return x + s.f2(F.gelu(s.f1(s.l2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Embedding(V, D)
        s.p = nn.Parameter(torch.zeros(S, D))
        s.b = nn.ModuleList([GptBlock() for _ in range(L)])
        s.n = nn.LayerNorm(D)
        s.h = nn.Linear(D, V, bias=False)

    def forward(s, i):
        x = s.e(i) + s.p
        for b in s.b:
            x = b(x)
        return s.h(s.n(x))


class VitBlock(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.h = h
        s.l1 = nn.LayerNorm(d, eps=1e-6)
        s.l2 = nn.LayerNorm(d, eps=1e-6)
        s.qkv = nn.Linear(d, 3 * d)
        s.o = nn.Linear(d, d)
        s.f1 = nn.Linear(d, 4 * d)
        s.f2 = nn.Linear(4 * d, d)

    def forward(s, x):
        b, t, d = x.shape
        q, k, v = s.qkv(s.l1(x)).view(b, t, 3, s.h, d // s.h).permute(2, 0, 3, 1, 4)
        x = x + s.o(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, d))
        return x + s.f2(F.gelu(s.f1(s.l2(x))))


class Vit(nn.Module):
    def __init__(s, d=96, h=3, layers=4, p=4):
        super().__init__()
        s.c = nn.Conv2d(3, d, p, p)
        s.cls = nn.Parameter(torch.zeros(1, 1, d))
        s.pos = nn.Parameter(torch.randn(1, 65, d) * 0.02)
        s.b = nn.Sequential(*(VitBlock(d, h) for _ in range(layers)))
        s.n = nn.LayerNorm(d, eps=1e-6)
        s.w = nn.Linear(d, 10)

    def forward(s, x):
        x = s.c(x).flatten(2).transpose(1, 2)
        x = s.b(torch.cat([s.cls.expand(x.shape[0], -1, -1), x], 1) + s.pos)
        return s.w(s.n(x[:, 0]))


def update(case, m):
    """What follows backward(): SGD; of the vision transformer AdamW with a bounded norm, warm-up
    and cosine, each in one call."""
    if case != "vit":
        return torch.optim.SGD(m.parameters(), lr=0.01).step
    ps = list(m.parameters())
    opt = torch.optim.AdamW(ps, lr=1e-3, weight_decay=0.01, fused=True)
    rates = torch.optim.lr_scheduler.LambdaLR(
        opt,
        lambda t: t / 100 if t < 100 else 0.5 * (1 + math.cos(math.pi * min((t - 100) / 900, 1))),
    )

    def step():
        nn.utils.clip_grad_norm_(ps, 1.0, foreach=True)
        opt.step()
        rates.step()

    return step


def model(case):
    if case in ("mlp", "mlp1"):
        h = 512 if case == "mlp" else 128
        return nn.Sequential(nn.Linear(784, h), nn.ReLU(), nn.Linear(h, 10))
    return (
        nn.Linear(4, 1, bias=False)
        if case == "linreg"
        else dict(resnet20=resnet20, gpt=Gpt, vit=Vit)[case]()
    )


def batch(case):
    """One batch: its inputs and its labels."""
    b = BATCH[case]
    if case == "linreg":
        return torch.tensor([[1.0, 2, 3, 4]]), torch.zeros(1, 1)
    if case == "gpt":
        return torch.randint(0, V, (b, S)), torch.randint(0, V, (b, S))
    x = (
        torch.rand(b, 3, 32, 32).contiguous(memory_format=torch.channels_last)
        if case in ("resnet20", "vit")
        else torch.rand(b, 784)
    )
    return x, torch.randint(0, 10, (b,))


def loss(case, o, y):
    return (
        ((o - y) ** 2).mean()
        if case == "linreg"
        else F.cross_entropy(o.reshape(-1, o.shape[-1]), y.reshape(-1))
    )
