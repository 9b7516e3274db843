#!/usr/bin/env python3
"""Makes a picture of a page's figures: picture.py PAGE TITLE [PANEL ...] > FILE.svg.

PAGE is what a command has written with --html. All its figures of this title become panels, two a row, under the
legend of the first; PANEL names them in order.
"""
import html
import re
import sys

WIDTH, GAP, LEGEND, NAME, SAMPLE = 640, 16, 26, 22, 40
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" class="lines" viewBox="0 0 {width} {height}" role="img"
    aria-labelledby="t">
<title id="t">{title}</title>
<style>
svg {{ --ink: #1b1b1b; --grid: #ccc; }} .said {{ font: 15px sans-serif; fill: var(--ink); }}
@media (prefers-color-scheme: dark) {{ svg {{ --ink: #e6e6e6; --grid: #444; }} }}
{rules}
</style>
"""


def text_of(markup):
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def main():
    page, title, *names = sys.argv[1:]
    text = open(page, encoding="utf-8").read()
    figures = re.findall(rf"<h3>{re.escape(html.escape(title))}</h3><figure.*?</figure>", text, re.S)
    if not figures:
        sys.exit(f"{page} has no figure '{title}'")
    legend = re.findall(r"<li>(<svg.*?</svg>)(.*?)</li>", figures[0], re.S)
    drawn = [re.search(r'<svg[^>]*class="on-wide".*?</svg>', figure, re.S)[0] for figure in figures]
    sizes = [[float(number) for number in re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups()] for svg in drawn]
    columns = min(2, len(drawn))
    panel = WIDTH if columns == 1 else WIDTH * 2 // 3
    width = columns * (panel + GAP)
    height = max(panel * high / wide for wide, high in sizes)
    names_of, x, top = "", 8, LEGEND
    for sample, name in legend:
        name = text_of(name)
        room = SAMPLE + 24 + 8 * len(name)
        if x + room > width and x > 8:
            x, top = 8, top + LEGEND
        names_of += re.sub("<svg", f'<svg x="{x}" y="{top - 16}" width="{SAMPLE}" height="10"', sample, count=1)
        names_of += f'\n<text class="said" x="{x + SAMPLE + 6}" y="{top - 6}">{html.escape(name)}</text>\n'
        x += room
    panels = ""
    for number, svg in enumerate(drawn):
        x, y = number % columns * (panel + GAP), top + number // columns * (NAME + height)
        if number < len(names):
            panels += f'<text class="said" x="{x + 56}" y="{y + 15:.0f}">{html.escape(names[number])}</text>\n'
        place = f'<svg x="{x}" y="{y + NAME:.0f}" width="{panel}" height="{height:.0f}"'
        svg = re.sub(r"^<svg(?: width=\"\d+\")?(?: height=\"\d+\")?", place, svg)
        panels += re.sub(r"<(title|desc)>.*?</\1>|\n+(?=<)", "", svg, flags=re.S) + "\n"
    # The page's colours and dashes of what is drawn, on light and on dark pages, without its layout.
    rule_of = r"[^\n{]*\{[^}\n]*\}"
    style = re.compile(rf"^(?:svg |\.lines polyline){rule_of}|(?<=\}} )svg {rule_of}", re.M)
    used = {color for color in re.findall(r'"(#[0-9A-F]{6})"', panels + names_of)}

    def rules_of(part):
        return [rule for rule in style.findall(part) if set(re.findall(r"#[0-9A-F]{6}(?=\")", rule)) <= used]
    dark = re.search(r"@media \(prefers-color-scheme: dark\) \{\n(svg \[stroke.*?)\n\}", text, re.S)
    light = text.replace(dark[0], "") if dark else text
    drawn_by = ("[", "polyline", "text")
    rules = [rule for rule in rules_of(light) if any(word in rule for word in drawn_by)]
    rules = "\n".join(dict.fromkeys(rules))
    if dark:
        rules += "\n@media (prefers-color-scheme: dark) {\n" + "\n".join(rules_of(dark[1])) + "\n}"
    rows = -(-len(drawn) // columns)
    print(HEAD.format(width=width, height=round(top + rows * (NAME + height)), rules=rules,
                      title=html.escape(", ".join([title, *names]))) + names_of + panels + "</svg>")


main()
