#!/usr/bin/env python3
"""Prints the texts that the model writes: reads what graphrun prints of `--fetch character`, a step a line, from standard input.

usage: graphrun gpt.plan --entry predict --steps 300 --checkpoint_dir run --data_dir data --fetch character | sample.py [TEXTS]    (default: 1 of its 8)
"""
import re
import sys

steps = [re.findall(r"\d+", line) for line in sys.stdin if line.startswith("character ")]
for text in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
    print("".join(chr(int(step[text])) if step[text] in ("9", "10") or 32 <= int(step[text]) < 127 else "?" for step in steps))
