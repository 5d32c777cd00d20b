"""Reads the graph that torchair writes as text (``graph_dump.type = "pbtxt"``)."""

from __future__ import annotations

import re
from typing import NamedTuple

_SCOPE, _OPTIONS = "_super_kernel_scope", "_super_kernel_options"
_FIELD = re.compile(r'^  (name|type): "(.*)"$', re.MULTILINE)
_ATTRIBUTE = re.compile(r'key: "(\w+)"\s*value \{\s*s: "(.*?)"\s*\}', re.DOTALL)


class GeOperator(NamedTuple):
    """One operator of the graph, with its scope and the scope's options; empty where it has none."""

    name: str
    type: str
    scope: str
    options: str


def read_dump(text: str) -> list[GeOperator]:
    """All operators, in the graph's order."""
    found = []
    for block in _blocks(text):
        fields = {match[1]: match[2] for match in reversed(list(_FIELD.finditer(block)))}
        attributes = {match[1]: match[2] for match in _ATTRIBUTE.finditer(block)}
        names = fields.get("name", ""), fields.get("type", "")
        found.append(GeOperator(*names, attributes.get(_SCOPE, ""), attributes.get(_OPTIONS, "")))
    return found


def _blocks(text: str) -> list[str]:
    """What stands between ``op {`` and the brace that closes it in the same column."""
    return re.findall(r"^op \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)
