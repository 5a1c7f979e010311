"""Writes loss.mlir and logits.mlir, which train.mlir calls, and params.safetensors, what PyTorch begins with.   export.py

pip install torch==2.12.1 'torchax[cpu]==0.0.13' jax==0.10.2 safetensors. The two texts are in this folder already; this makes them again.
"""
import pathlib
import re

import jax
import torch
import torchax
from jax.extend.source_info_util import register_exclusion
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from torchax.interop import jax_view

BATCH = 50


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 5, padding=2, bias=False)
        self.bn = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 5, padding=2)
        self.fc1 = nn.Linear(1568, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


torch.manual_seed(0)
net = Net()


def logits(net, images):
    return net(images)


def loss(net, images, labels):
    return F.cross_entropy(net(images), labels)


# What is below is for any network.
for package in torch, torchax:  # places are then lines of this file, and not of torch's
    register_exclusion(str(pathlib.Path(package.__file__).parent))
plain_batch_norm, plain_embedding = F.batch_norm, F.embedding


def batch_norm(x, mean, var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """With the running averages, which torchax leaves as they are."""
    if training and mean is not None:
        over = [0, *range(2, x.dim())]
        mean.mul_(1 - momentum).add_(x.mean(over), alpha=momentum)
        var.mul_(1 - momentum).add_(x.var(over), alpha=momentum)
        mean = var = None
    return plain_batch_norm(x, mean, var, weight, bias, training, momentum, eps)


def embedding(tokens, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """Looking up row padding_idx gives it no gradient: with torchax it would. The row keeps what it is, since a head that
    shares the weight may train it."""
    if max_norm is not None or scale_grad_by_freq:
        raise NotImplementedError("nn.Embedding with max_norm or scale_grad_by_freq: torchax leaves both out")
    rows = plain_embedding(tokens, weight)
    if padding_idx is None:
        return rows
    return torch.where((tokens == padding_idx % weight.shape[0]).unsqueeze(-1), rows.detach(), rows)


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """PyTorch's own, which gives 0 for a query whose keys are all masked: torchax's gives NaN."""
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill(~attn_mask, float("-inf"))
    options = {"scale": scale, "enable_gqa": enable_gqa}
    return torch.ops.aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, **options)[0]


@jax.jit
def stop_gradient(x):
    return jax.lax.stop_gradient(x)


F.batch_norm, F.embedding, F.scaled_dot_product_attention = batch_norm, embedding, attention
torchax.tensor.Tensor.detach = lambda self: torchax.tensor.Tensor(stop_gradient(self.jax()), self._env)
params = {name: value.detach() for name, value in net.named_parameters() if value.requires_grad}
frozen = {name: value.detach() for name, value in net.named_parameters() if not value.requires_grad}
buffers = {**frozen, **dict(net.named_buffers())}


def write(function, *inputs):
    """A function of the network and of inputs; in training it gives the buffers' next values as well."""
    def call(params, buffers, *inputs):
        buffers = dict(buffers)
        result = function(lambda *x: torch.func.functional_call(net, {**params, **buffers}, x), *inputs)
        return (result, buffers) if net.training else result

    def exported(params, buffers, *inputs):
        return jax_view(call)(params, buffers, *inputs)

    exported.__name__ = function.__name__
    arguments = jax_view(torchax.default_env().to_xla((params, buffers, *inputs)))
    module = jax.jit(exported).lower(*arguments).compiler_ir("stablehlo")
    text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    text = re.sub(r'"/[^"]*/([^"/]+\.py)"', r'"\1"', text)  # files by their names: for this folder to be anywhere
    pathlib.Path(f"{function.__name__}.mlir").write_text(text)


images, labels = torch.zeros(BATCH, 1, 28, 28), torch.zeros(BATCH, dtype=torch.int64)
write(loss, images, labels)
net.eval()
write(logits, images)
values = {f"{tree}.{name}": value for tree, named in (("params", params), ("buffers", buffers)) for name, value in named.items()}
save_file({name: value.to(torch.int32) if value.dtype == torch.int64 else value for name, value in values.items()}, "params.safetensors")
