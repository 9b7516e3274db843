#!/usr/bin/env python3
"""Writes every wide table of a Markdown file as CSV beside it, and a link below the table.

    python3 scripts/tables-as-csv.py results/waits.md

A table is wide when a line of it has more than 180 characters. The files are called after the part and the table's place among
its wide tables: results/waits-1.csv. Those of an earlier run are removed, and its links replaced.
"""

import csv
import re
import sys
from pathlib import Path

WIDE = 180


def cells(line):
    """The cells of one line; a vertical bar inside a cell is written \\|."""
    inner = line.strip()[1:-1]
    return [cell.strip().replace("\\|", "|").replace("**", "") for cell in re.split(r"(?<!\\)\|", inner)]


def main(path):
    for old in path.parent.glob(f"{path.stem}-*.csv"):
        if re.fullmatch(rf"{re.escape(path.stem)}-\d+", old.stem):
            old.unlink()
    lines = [line for line in path.read_text().split("\n") if not line.startswith("[This table as CSV](")]
    made, out, table = 0, [], []
    for line in lines + [""]:
        if line.startswith("|"):
            table.append(line)
            out.append(line)
            continue
        if table and max(map(len, table)) > WIDE:
            made += 1
            name = f"{path.stem}-{made}.csv"
            with open(path.parent / name, "w", newline="") as file:
                rows = [cells(row) for row in table if not re.fullmatch(r"[|:\- ]+", row)]
                csv.writer(file, lineterminator="\n").writerows(rows)
            out += ["", f"[This table as CSV]({name})"]
        table = []
        out.append(line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip("\n") + "\n"
    path.write_text(text)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        main(Path(argument))
