#!/usr/bin/env python3
"""Renders pages in headless Chromium and measures them: check-pages.py [--axe AXE.js] CHROMIUM FOLDER PAGE.html...

Every page is rendered at 1280, at 390 and at 1920 pixels. It must be smaller than 500,000 bytes, raise no error, load
nothing, not be wider than the window; text in its figures must be 12 pixels high at least; every figure must have a
title and a description, and tables that scroll must keep their first column. The answer of what-if prints on one
sheet. With the script of axe-core (https://github.com/dequelabs/axe-core) none of its rules may be violated in the
narrowest window, those of WCAG and its best practices. Pictures of the pages come to FOLDER.
"""
import argparse
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTHS = (1280, 390, 1920)
MOST_BYTES = 500_000

# Runs in the page and leaves what it found in the body. No request may be made, so that it is inside the page too.
FIRST = """<script>window.wrong = [];
window.addEventListener('error', function (event) { window.wrong.push('error: ' + event.message); });</script>"""
LAST = """<script>window.addEventListener('load', function () { setTimeout(function () {
  var wrong = window.wrong, root = document.documentElement;
  var say = function (text) { if (wrong.indexOf(text) < 0) wrong.push(text); };
  if (root.scrollWidth > window.innerWidth) say('is ' + root.scrollWidth + ' pixels wide');
  performance.getEntriesByType('resource').forEach(function (entry) { say('loads ' + entry.name); });
  document.querySelectorAll('svg').forEach(function (svg) {
    if (svg.getAttribute('aria-hidden') || svg.closest('[aria-hidden]')) return;
    var names = Array.from(svg.children).slice(0, 2).map(function (node) { return node.tagName; }).join();
    if (names !== 'title,desc') say('a figure begins with ' + names);
    else Array.from(svg.children).slice(0, 2).forEach(function (node) {
      if (node.textContent.trim().length < 5) say('a figure has an empty ' + node.tagName);
    });
    if (svg.getClientRects().length === 0) return; // the other drawing of this figure is shown, as is looked up below
    if (svg.parentNode.scrollWidth > svg.parentNode.clientWidth + 1) say('a figure scrolls');
    svg.querySelectorAll('text').forEach(function (text) {
      var size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d;
      if (size > 0 && size < 11.95) say('text of ' + size.toFixed(1) + ' pixels in a figure');
    });
  });
  document.querySelectorAll('svg.on-wide').forEach(function (svg) {
    if (svg.closest('details:not([open])')) return;
    var shown = [svg, svg.nextElementSibling].filter(function (one) { return one.getClientRects().length > 0; });
    if (shown.length !== 1) say(shown.length + ' drawings of one figure are shown');
  });
  document.querySelectorAll('.wide').forEach(function (wide) {
    var cell = wide.querySelector('tbody tr > *:first-child');
    if (wide.scrollWidth > wide.clientWidth + 1 && cell && getComputedStyle(cell).position !== 'sticky')
      say('a table that scrolls has no column that stays');
  });
  var found = { width: window.innerWidth, height: root.scrollHeight, svg: document.querySelectorAll('svg').length, wrong: wrong };
  var leave = function () { document.body.setAttribute('data-found', JSON.stringify(found)); };
  if (!window.axe) return leave();
  axe.run(document, { resultTypes: ['violations'] }).then(function (result) {
    result.violations.forEach(function (rule) {
      say('axe-core: ' + rule.id + ' (' + rule.help + '): ' + rule.nodes.length + ', the first ' + rule.nodes[0].html.slice(0, 120));
    });
  }).catch(function (error) { say('axe-core: ' + error); }).then(leave);
}, 300); });</script>"""


def chromium(program, width, height, *arguments):
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--force-device-scale-factor=1", f"--user-data-dir={profile}", f"--window-size={width},{height}",
                   "--virtual-time-budget=20000", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


def measured(program, page, width, axe):
    """The findings of the script in the page at this width; in a frame of the window, which cannot be so narrow itself."""
    text = page.read_text()
    text = text.replace("<head>", "<head>" + FIRST, 1)
    text = text.replace("</body>", axe + LAST + "</body>", 1)
    frame = f'<iframe id="f" style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(text)}"></iframe>'
    take = """<script>var timer = setInterval(function () {
      var body = document.getElementById('f').contentDocument.body;
      var found = body ? body.getAttribute('data-found') : null;
      if (found) { clearInterval(timer); document.body.setAttribute('data-found', found); }
    }, 50);</script>"""
    with tempfile.TemporaryDirectory() as folder:
        outer = pathlib.Path(folder, "frame.html")
        outer.write_text(f"<!DOCTYPE html><html><body style='margin:0'>{frame}{take}</body></html>")
        dom = chromium(program, max(width, 600), 900, "--dump-dom", outer.as_uri())
    found = re.search(r'<body[^>]*data-found="([^"]*)"', dom)
    if not found:
        return {"width": None, "svg": 0, "height": 2000, "wrong": ["was not measured"]}
    return json.loads(html.unescape(found.group(1)))


def sheets(program, page):
    """On how many sheets the page prints."""
    with tempfile.TemporaryDirectory() as folder:
        printed = pathlib.Path(folder, "page.pdf")
        chromium(program, 1280, 900, "--no-pdf-header-footer", f"--print-to-pdf={printed}", page.resolve().as_uri())
        return len(re.findall(rb"/Type\s*/Page[^s]", printed.read_bytes()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    program, folder = arguments.program, arguments.folder
    axe = ""
    if arguments.axe:
        axe = "<script>" + arguments.axe.read_text().replace("</script", "<\\/script") + "</script>"
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for page in arguments.pages:
        size = page.stat().st_size
        wrong = [f"has {size} bytes"] if size >= MOST_BYTES else []
        if page.stem == "what-if" and (count := sheets(program, page)) != 1:
            wrong.append(f"prints on {count} sheets")
        for width in WIDTHS:
            # In the narrowest window most regions scroll; no other rule depends on the width.
            found = measured(program, page, width, axe if width == min(WIDTHS) else "")
            if found["width"] not in (None, width):
                found["wrong"].append(f"was rendered at {found['width']}")
            wrong += [f"at {width}: {what}" for what in found["wrong"]]
            picture = folder / f"{page.stem}-{width}.png"
            narrow = folder / f"{page.stem}-{width}.html"
            height = min(found["height"], 12000)
            narrow.write_text(f"<!DOCTYPE html><html><meta charset='utf-8'><body style='margin:0'><iframe style='border:0;width:{width}px;height:{height}px' "
                              f'srcdoc="{html.escape(page.read_text())}"></iframe></body></html>')
            chromium(program, max(width, 600), height, f"--screenshot={picture}", narrow.resolve().as_uri())
            narrow.unlink()
        print(f"{page.name}: {size} bytes, {found['svg']} pictures" + ("" if wrong else ", good"))
        for what in wrong:
            failed = True
            print(f"  WRONG: {what}")
    sys.exit(failed)


main()
