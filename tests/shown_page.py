"""A page read as a browser reads it: its elements with their attributes, and its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)


class ShownPage(HTMLParser):
    """``elements`` in their order, with the text that stands directly in each; ``text`` is all of it."""

    _EMPTY = frozenset({"meta", "br", "wbr", "img", "link", "input", "hr"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(page)
        self.close()
        self.left_open = [element.tag for element in self._open]
        read = [element for element in self.elements if element.tag != "style"]
        self.text = "".join("".join(element.text) for element in read)

    def with_data(self, *names: str) -> list[dict[str, str]]:
        """The attributes of those that have all of ``data-<name>``."""
        keys = [f"data-{name}" for name in names]
        return [e.attributes for e in self.elements if all(key in e.attributes for key in keys)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in self._EMPTY:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].tag == tag, f"</{tag}> while <{self._open[-1].tag}> is open"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].text.append(data)
