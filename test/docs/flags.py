"""Refuses pages that write a flag of graphc or graphrun with hyphens, which the tools take as well:
pages have the spelling of --help."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
TOOLS = (
    ["graphc"],
    ["graphrun"],
    *(["graphrun", word] for word in ("calibrate", "certs", "check", "server", "show", "status")),
)
flags = set()
for tool in TOOLS:
    text = subprocess.run([*tool, "--help"], capture_output=True, text=True, check=True).stdout
    flags |= set(re.findall(r"(?<![\w-])--([a-z]+(?:_[a-z]+)+)", text))
assert {"num_gpus", "import_variables", "checkpoint_dir", "no_eval"} <= flags, flags
wrong = re.compile(
    r"(?<![\w-])--(" + "|".join(sorted(flag.replace("_", "-") for flag in flags)) + r")(?![\w-])"
)
bad = 0
for page in sorted([root / "README.md", *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]):
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for flag in wrong.findall("" if line.startswith("#SBATCH") else line):  # Slurm's
            print(f"{page.relative_to(root)}:{number}: --{flag}: pages write --{flag.replace('-', '_')}")
            bad += 1
sys.exit(bad > 0)
