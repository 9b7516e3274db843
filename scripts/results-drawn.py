#!/usr/bin/env python3
"""Makes one block of the results again, drawn at random, and compares it with the page: results-drawn.py [SEED].

A block is a command of scripts/results/PART.md.in with its output. Its figures have to be those of the committed page;
a difference in names of policies or in widths of columns is shown and accepted. Blocks that print times or sizes of
memory are not drawn. Needs surefill and surefill-papers in the PATH and the traces in SUREFILL_TRACES. The same seed draws the same block
as long as the sources stay the same.
"""

import difflib
import os
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# In a command or its output: wall times, sizes of memory, files of another block, pictures.
MEASURED = re.compile(r"cargo|picture\.py|generated\.sh|time \[s\]|rounds in \d|round costs|\[MB\]|wide\.swf")
LONGEST = 3600


def blocks():
    """Parts and commands, those of the part speed left out."""
    for source in sorted((ROOT / "scripts/results").glob("*.md.in")):
        # A command goes on in the next line behind a backslash.
        for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", source.read_text(), re.M):
            if source.name != "speed.md.in":
                yield source.name.removesuffix(".md.in"), command


def figures(lines):
    """The numbers of a text, in order."""
    return re.findall(r"[-+]?\d+(?:\.\d+)?", "\n".join(lines))


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10**6)
    pages = {part: (ROOT / f"results/{part}.md").read_text() for part, _ in blocks()}
    found = []
    for part, command in blocks():
        _, fence, behind = pages[part].partition(f"```sh\n{command}\n```\n\n")
        if not fence:
            sys.exit(f"results/{part}.md has not this command of its source:\n{command}")
        if not MEASURED.search(command + behind.split("```sh\n")[0]):
            found.append((part, command, behind))
    part, command, behind = random.Random(seed).choice(found)
    print(f"seed {seed}, one of {len(found)} blocks: results/{part}.md\n{command}", flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    try:
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, env=environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        print(f"SKIPPED: it takes longer than {LONGEST} s")
        return
    if run.returncode:
        sys.exit(f"it ended with status {run.returncode}")
    made = re.sub(r"\n{3,}", "\n\n", run.stdout).strip("\n").split("\n")
    kept = behind.split("\n")[: len(made)]
    if made != kept:
        print("\n".join(difflib.unified_diff(kept, made, "committed", "made again", lineterm="", n=0)))
    if figures(made) != figures(kept):
        sys.exit("the committed page has other figures")
    print(f"{len(figures(made))} figures in {len(made)} lines, each as committed")


main()
