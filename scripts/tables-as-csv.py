#!/usr/bin/env python3
"""Writes every wide table of Markdown files as CSV into a folder.

    python3 scripts/tables-as-csv.py build/csv results/*.md

A table is wide when a line of it has more than 180 characters. The files are called after the page and the table's place
among its wide tables: results/waits.md makes waits-1.csv, waits-2.csv and so on.
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


def tables(text):
    """The tables of a page, each as its lines."""
    table = []
    for line in text.split("\n") + [""]:
        if line.startswith("|"):
            table.append(line)
        elif table:
            yield table
            table = []


def main(folder, pages):
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        wide = (table for table in tables(page.read_text()) if max(map(len, table)) > WIDE)
        for number, table in enumerate(wide, 1):
            with open(folder / f"{page.stem}-{number}.csv", "w", newline="") as file:
                rows = [cells(row) for row in table if not re.fullmatch(r"[|:\- ]+", row)]
                csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(page) for page in sys.argv[2:]])
