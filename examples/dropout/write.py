"""What export_linen.py, export_nnx.py and export_torch.py have in common."""
import pathlib
import re

import jax
import numpy as np


def write(folder, lowered):
    """A function as FOLDER/NAME.mlir."""
    module = lowered.compiler_ir("stablehlo")
    text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    text = re.sub(r'"/[^"]*/([^"/]+\.py)"', r'"\1"', text)  # files by their names: for this folder to be anywhere
    name = re.search(r'sym_name = "jit_(\w+)"', text)[1]
    pathlib.Path(folder).mkdir(exist_ok=True)
    pathlib.Path(folder, f"{name}.mlir").write_text(text)


def write_values(folder, params):
    """The variables' first values as FOLDER/params.npz."""
    leaves = jax.tree_util.tree_leaves_with_path({"params": params})
    np.savez(
        f"{folder}/params.npz",
        **{jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in leaves},
    )
