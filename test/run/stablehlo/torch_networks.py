"""The networks that make_torch.py exports, and their optimizers.

`tied…`: an embedding with `padding_idx` whose weight is the output head's too.
`padded`: nn.TransformerEncoder with padding; one sequence of the first batch is padding alone.
`attentions`: attention as nn.MultiheadAttention and torchax write it, without a boolean mask.
"""

import torch
from torch import nn
from torch.nn import functional as F
from values import torch_data

RATE, NUMBER_RATE = 0.5, 0.1


class Tied(nn.Module):
    """A language model of one layer."""

    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(11, 8, padding_idx=1)
        self.hidden = nn.Linear(8, 8)
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, tokens):
        return self.head(torch.tanh(self.hidden(self.tok(tokens))))


class TiedLast(nn.Module):
    """One token a sample; the row of padding counts from the end."""

    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(11, 6, padding_idx=-2)
        self.bias = nn.Parameter(torch.zeros(11))

    def forward(self, tokens):
        rows = self.tok(tokens)
        return F.linear(rows + torch.sigmoid(rows), self.tok.weight, self.bias)


class TiedBert(nn.Module):
    """As BERT's head: two sentences, a norm, and the embedding's weight behind another layer."""

    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(11, 6, padding_idx=0)
        self.norm = nn.LayerNorm(6)
        self.dense = nn.Linear(6, 6)
        self.decoder = nn.Linear(6, 11)
        self.decoder.weight = self.tok.weight

    def forward(self, tokens):
        return self.decoder(F.gelu(self.dense(self.norm(self.tok(tokens)))))


class Padded(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(12, 3, 8, 0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.out = nn.Linear(12, 1)

    def forward(self, x, pad):
        return self.out(self.encoder(x, src_key_padding_mask=pad)).squeeze(-1).mean(1)


class Attentions(nn.Module):
    """Each form once, and their sum."""

    def __init__(self):
        super().__init__()
        self.plain = nn.MultiheadAttention(6, 2, batch_first=True)
        self.masked = nn.MultiheadAttention(6, 3, batch_first=True)
        self.weighted = nn.MultiheadAttention(6, 1, batch_first=True)
        self.cross = nn.MultiheadAttention(6, 2, kdim=4, vdim=5, batch_first=True)
        self.qkv = nn.Linear(6, 18)
        self.out = nn.Linear(6, 1)

    def forward(self, x, pad):
        length = x.shape[1]
        causal = torch.full((length, length), float("-inf"), device=x.device).triu(1)
        y = self.plain(x, x, x, need_weights=False)[0]
        # Masks of two kinds in one sum. Query 0 of some sequences attends to no key.
        y = y + self.masked(x, x, x, key_padding_mask=pad, attn_mask=causal, need_weights=False)[0]
        y = y + self.weighted(x, x, x, attn_mask=causal)[0]
        y = y + self.cross(x[:, 1:], x[..., :4], x[..., 1:], need_weights=False)[0].mean(1, True)
        q, k, v = self.qkv(x).chunk(3, -1)
        y = y + F.scaled_dot_product_attention(q, k, v)
        y = y + F.scaled_dot_product_attention(v, q, k, is_causal=True, scale=-0.7)
        # A mask of the data: PyTorch gives 0 where a query attends to no key.
        y = y + F.scaled_dot_product_attention(k, v, q, ~pad[:, None, :])
        return self.out(torch.tanh(y)).squeeze(-1).mean(1)


def token_loss(net, x, y):
    return F.cross_entropy(net(x).flatten(0, -2), y.flatten())


def number_loss(net, x, pad, y):
    return (net(x, pad) - y).square().mean()


def sgd(parameters):
    return torch.optim.SGD(parameters, RATE)


def slow_sgd(parameters):
    return torch.optim.SGD(parameters, NUMBER_RATE)


def momentum(parameters):
    return torch.optim.SGD(parameters, RATE, momentum=0.9, nesterov=True)


def adam(parameters):
    return torch.optim.Adam(parameters, RATE / 10)


# network, loss, optimizer, and the same in graphc
CASES = {
    "tied": (Tied, token_loss, sgd, f"#graph.sgd<learning_rate = {RATE}>"),
    "tied-last": (
        TiedLast,
        token_loss,
        momentum,
        f"#graph.momentum<learning_rate = {RATE}, momentum = 0.9, nesterov = true>",
    ),
    "tied-bert": (TiedBert, token_loss, adam, f"#graph.adam<learning_rate = {RATE / 10}>"),
    "padded": (Padded, number_loss, slow_sgd, f"#graph.sgd<learning_rate = {NUMBER_RATE}>"),
    "attentions": (Attentions, number_loss, slow_sgd, f"#graph.sgd<learning_rate = {NUMBER_RATE}>"),
}


def inputs(name, step, batch):
    """The tensors of one batch; tokens are i64, as PyTorch has them."""
    batches = [
        torch.from_numpy(values[step * batch : (step + 1) * batch])
        for values in torch_data(name).values()
    ]
    return [each.long() if each.dtype == torch.int32 else each for each in batches]
