"""What an HTML report says, by section: "verdict", "capture", "finding CODE cN", "details N", "streams" and so on.

Cells of a row are joined by " | ", a label and what belongs to it (a fact, a lane, a line of evidence) by ": "; text alternatives
stand in square brackets. Blanks are one blank, however they were written.
"""
import html.parser
import re

BLOCKS = {"p", "div", "section", "h1", "h2", "h3", "li", "ul", "ol", "tr", "table", "caption", "details", "summary", "figure", "figcaption",
          "main", "header", "footer", "nav", "dl", "dt", "pre", "form", "label", "article", "title", "button", "thead", "tbody"}
SECTIONS = {"verdict", "capture", "connections", "findings", "streams", "batches", "about"}


def plain(text):
    return re.sub(r"\s+", " ", text.replace("\u00a0", " ").replace("\u202f", " ")).strip()


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.lines, self.line, self.silent = [], "", 0
        self.section, self.in_row = "head", False
        self.feed(text)
        self.end_line()

    def end_line(self):
        text = plain(self.line)
        if text:
            self.lines.append((self.section, text))
        self.line = ""

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        classes = (given.get("class") or "").split()
        if tag in ("script", "style"):
            self.silent += 1
        if tag == "section":
            self.section = given.get("id", "head")
        if "find" in classes and re.fullmatch(r"f\d+", given.get("id", "")):
            self.end_line()
            self.section = "finding " + given["id"]
        if "conn" in classes and re.fullmatch(r"c\d+", given.get("id", "")):
            self.end_line()
            self.section = "details " + given["id"][1:]
        label_end = tag == "dd" or "tr" in classes
        if tag == "tr" or (tag in BLOCKS and not label_end and not self.in_row):
            self.end_line()
        self.in_row = tag == "tr" or (self.in_row and tag != "table")
        if tag in ("td", "th") and self.line:
            self.line += " | "
        elif label_end:
            self.line = self.line.rstrip() + ": "
        elif tag in ("span", "i", "b", "br", "a", "code"):
            self.line += " "
        for key in ("aria-label", "title"):
            if given.get(key):
                self.line += f" [{given[key]}] "

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.silent -= 1
        if tag in ("tr", "table"):
            self.in_row = False
        if tag in BLOCKS and tag not in ("dt", "div") and not self.in_row:
            self.end_line()
        elif tag in BLOCKS:
            self.line += " "

    def handle_data(self, data):
        if not self.silent:
            self.line += data


def sections(text):
    """{section: its lines as one text, a line each}; findings by their code and connection."""
    page = Page(text)
    merged = {}
    for section, line in page.lines:
        merged.setdefault(section, []).append(line)
    named = {}
    for section, lines in merged.items():
        whole = "\n".join(lines)
        if section.startswith("finding "):
            code = re.search(r"\b((?:dcp|canal|tcp|capture)\.[a-z_.]+)\b", whole)
            connection = re.search(r"\bconnection (\d+)\b", whole)
            section = f"finding {code[1] if code else '?'} c{connection[1] if connection else '?'}"
        named[section] = named[section] + "\n" + whole if section in named else whole
    return named
