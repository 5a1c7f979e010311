"""Refuses a report that is no well-formed page, loads anything, runs a script, or has coordinates
that are no numbers."""

import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "line", "rect", "path", "input"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.used = [], set(), []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        assert tag not in ("script", "link", "img", "iframe", "object"), (
            f"<{tag}>: the page must need nothing else"
        )
        for name, value in attrs:
            assert not re.match(r"(https?:)?//", value or ""), (
                f"{name}={value}: the page must load nothing"
            )
            assert "nan" not in (value or "").split() and "inf" not in (value or "").split(), (
                f"{tag} {name}={value}"
            )
        if "id" in values:
            assert values["id"] not in self.ids, f"id {values['id']} twice"
            self.ids.add(values["id"])
        self.used += (values.get("aria-labelledby") or "").split()
        if tag == "a":
            self.used.append(values["href"].lstrip("#"))
        for size in ("width", "height"):
            if tag in ("svg", "rect"):
                assert float(values[size]) >= 0, f"{tag} {size}={values[size]}"
        if tag == "svg":
            assert values.get("role") == "img" or values.get("aria-hidden"), "an svg without a role"
        if tag not in VOID:
            self.open.append(tag)
        elif tag in ("rect", "path") and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID and (not self.open or self.open[-1] != tag):
            return
        assert self.open and self.open[-1] == tag, (
            f"</{tag}> closes {self.open[-1:]}, line {self.getpos()[0]}"
        )
        self.open.pop()


page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert not page.open, f"left open: {page.open}"
assert set(page.used) <= page.ids, f"no such id: {set(page.used) - page.ids}"
