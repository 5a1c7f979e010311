"""Writes from-torch/loss.mlir, logits.mlir and params.npz.   export_torch.py

pip install torch==2.12.1 'torchax[cpu]==0.0.13' jax==0.10.2. The files are in this folder already.
"""
import jax
import torch
import torchax
from torch import nn
from torch.nn import functional as F
from torchax.interop import jax_view
from write import write, write_values


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(8, 16)
        self.dropout = nn.Dropout(0.5)
        self.l2 = nn.Linear(16, 4)

    def forward(self, x):
        return self.l2(self.dropout(F.relu(self.l1(x))))


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()

    def apply(params, x):
        return torch.func.functional_call(net, params, (x,))

    @jax_view
    def cross_entropy(params, x, labels):
        return F.cross_entropy(apply(params, x), labels)

    def loss(params, key, x, labels):
        with torchax.default_env().override_property(prng=key):  # dropout draws from this key
            return cross_entropy(params, x, labels)

    def logits(params, x):
        return jax_view(apply)(params, x)

    inputs = torch.zeros(32, 8), torch.zeros(32, dtype=torch.int32)
    params, x, labels = jax_view(torchax.default_env().to_xla((dict(net.named_parameters()), *inputs)))
    write("from-torch", jax.jit(loss).lower(params, jax.random.PRNGKey(0), x, labels))
    net.eval()
    write("from-torch", jax.jit(logits).lower(params, x))
    write_values("from-torch", params)
