"""Reads the graph that torchair writes as text (``graph_dump.type = "pbtxt"``)."""

from __future__ import annotations

import re
from typing import NamedTuple

_SCOPE, _OPTIONS = "_super_kernel_scope", "_super_kernel_options"
_NODE = re.compile(r"^node \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r'^ +(name|op): "(.*)"$', re.MULTILINE)
# Attributes are written as text inside text.
_ATTRIBUTE = re.compile(r"""key: "(\w+)"\s*value \{\s*s: 's: "(.*?)"\\n'""")


class GeOperator(NamedTuple):
    """One operator of the graph, with its scope and the scope's options; empty where it has none."""

    name: str
    type: str
    scope: str
    options: str


def read_dump(text: str) -> list[GeOperator]:
    """All operators, in the graph's order."""
    found = []
    for node in _NODE.findall(text):
        fields = dict(reversed(_FIELD.findall(node)))  # the node's own come first
        attributes = dict(_ATTRIBUTE.findall(node))
        names = fields.get("name", ""), fields.get("op", "")
        found.append(GeOperator(*names, attributes.get(_SCOPE, ""), attributes.get(_OPTIONS, "")))
    return found
