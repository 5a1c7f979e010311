#!/usr/bin/env bash
# Installs the peers into virtual environments under $PEERS (default: build/peers). About 5 GB, a
# few minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
PEERS=${PEERS:-$PWD/build/peers}
mkdir -p "$PEERS"
for peer in tf jax torch; do [ -d "$PEERS/$peer" ] || python3 -m venv "$PEERS/$peer"; done
"$PEERS/tf/bin/pip" -q install tensorflow-cpu==2.21.0
"$PEERS/jax/bin/pip" -q install jax==0.10.2
# torch's default wheel wants the CUDA libraries at import; those of an installed CUDA Toolkit serve
# (see driver.py).
"$PEERS/torch/bin/pip" -q install --no-deps torch==2.15.0 nvidia-cufile nvidia-cusparselt-cu13 nvidia-nvshmem-cu13 nvidia-nccl-cu13
"$PEERS/torch/bin/pip" -q install filelock typing-extensions sympy networkx jinja2 fsspec numpy
