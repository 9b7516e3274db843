#!/usr/bin/env python3
"""The pages of docs/ as a book, with every file that they lead to: book.py [BUILD], by default build.

BUILD/docs/book-source gets the pages of docs/ at the top and whatever they link to outside docs/ below, under the
path that it has in the repository: pages become chapters after those of docs/SUMMARY.md, other files are copied. A
notebook becomes a chapter of its cells, and is copied as well. Links are written anew to fit. Then mdBook, where it is installed, makes BUILD/docs/book of it, and every link and picture of
the book is looked up.
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
# Files that mdBook makes beside the pages.
MADE = {"404.html", "print.html", "toc.html"}


def place(path):
    """Where a file of the repository lies in the book's source."""
    place = path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT)
    return place.with_suffix(".md") if path.suffix == ".ipynb" else place


def text_of(path):
    """A page's text; a notebook's cells, with a line that leads to the notebook."""
    if path.suffix == ".md":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    codes = [f"```python\n{text}\n```" if cell["cell_type"] == "code" else text for cell, text in zip(cells, texts)]
    return "\n\n".join(codes + [f"This page as a notebook: <a href=\"{path.name}\">{path.name}</a>."]) + "\n"


def write_page(path, source):
    """Writes a page with its links fitted; the files that it leads to."""
    found = []

    def fitted(match):
        before, target, after = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        leads_to = (path.parent / target).resolve()
        if not leads_to.is_file():
            sys.exit(f"{path.relative_to(ROOT)}: {target} is no file")
        found.append(leads_to)
        return before + os.path.relpath(place(leads_to), place(path).parent) + after

    # Between fences nothing is a link: those parts are every second one.
    parts = re.split(r"(^(?:```|~~~).*?^(?:```|~~~))", text_of(path), flags=re.M | re.S)
    text = "".join(part if number % 2 else LINK.sub(fitted, part) for number, part in enumerate(parts))
    to = source / place(path)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(text)
    return found


def write_source(source):
    """Writes the pages and files of the book; how many they are."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    summary = DOCS / "SUMMARY.md"
    open_pages, seen, beside = [summary], {summary}, []
    while open_pages:
        page = open_pages.pop(0)
        for path in write_page(page, source):
            if path in seen:
                continue
            seen.add(path)
            if path.suffix in (".md", ".ipynb"):
                open_pages.append(path)
                if not path.is_relative_to(DOCS):
                    beside.append(path)
            if path.suffix != ".md":
                to = (source / place(path)).with_name(path.name)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)
    with (source / "SUMMARY.md").open("a") as file:
        file.write("\n# From the repository\n\n")
        for path in beside:
            title = re.search(r"^# (.*)$", path.read_text(), re.M)[1]
            file.write(f"- [{title}]({place(path)})\n")
    for name in ["book.toml", "book.css"]:
        shutil.copy(DOCS / name, source)
    return len(seen)


class Page(html.parser.HTMLParser):
    """The fragments of a page and what it leads to."""

    def __init__(self, path):
        super().__init__()
        self.fragments, self.targets = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.fragments.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)


def wrong_targets(book):
    pages = {path: Page(path) for path in book.rglob("*.html") if path.name not in MADE}
    for path, page in pages.items():
        for target in page.targets:
            if re.match(r"[a-z]+:", target):
                continue
            name, _, fragment = target.partition("#")
            found = (path.parent / name).resolve() if name else path
            if not found.is_file():
                yield f"{path.relative_to(book)}: {target} is not in the book"
            elif fragment and found in pages and fragment not in pages[found].fragments:
                yield f"{path.relative_to(book)}: {target} names no heading"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve() / "docs"
    files = write_source(build / "book-source")
    if shutil.which("mdbook") is None:
        print(f"{files} files, every link leads to one of them")
        print("SKIPPED: the book itself, without mdBook (cargo install mdbook)")
        return
    shutil.rmtree(build / "book", ignore_errors=True)
    command = ["mdbook", "build", build / "book-source", "--dest-dir", build / "book"]
    run = subprocess.run(command, text=True, stderr=subprocess.PIPE)
    sys.stderr.write(run.stderr)
    if run.returncode or re.search("WARN|ERROR", run.stderr):
        sys.exit("mdbook has warned")
    wrong = list(wrong_targets(build / "book"))
    print("\n".join(wrong) or f"The book: {build}/book/index.html")
    sys.exit(bool(wrong))


main()
