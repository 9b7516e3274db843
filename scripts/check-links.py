#!/usr/bin/env python3
"""Links in the documentation: every relative one leads to a file that is there, and every fragment to a heading of it.

check-links.py [FILE...]: by default every page of the repository. Pages of the book must be in its table of
contents. Addresses on the network are not asked.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def anchors(text):
    """The fragments that the headings make."""
    heads = re.findall(r"^#+\s+(.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def wrong_links(path):
    text = path.read_text()
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        found = path if not name else (path.parent / name)
        if not found.exists():
            yield f"{path.relative_to(ROOT)}: {target} is not there"
        elif fragment and found.suffix == ".md" and fragment not in anchors(found.read_text()):
            yield f"{path.relative_to(ROOT)}: {target} names no heading"


def main():
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    folders = ["", "docs/", "results/", "c-examples/*/", "python/", "tests/vectors/"]
    pages = named or [page for folder in folders for page in ROOT.glob(folder + "*.md")]
    wrong = [sentence for page in sorted(pages) for sentence in wrong_links(page)]
    if not named:
        book = set(LINK.findall((ROOT / "docs/SUMMARY.md").read_text()))
        for page in sorted(ROOT.glob("docs/*.md")):
            if page.name not in book | {"SUMMARY.md"}:
                wrong.append(f"docs/{page.name} is not in docs/SUMMARY.md")
    print("\n".join(wrong) or f"{len(pages)} pages: every link leads somewhere")
    sys.exit(bool(wrong))


main()
