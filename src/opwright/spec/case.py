"""One concrete call of an operator: everything that is needed to make its inputs again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

_SEED_STEP = 7919  # no other case's seed lies so far off


@dataclass(frozen=True)
class Case:
    """Sizes, dtypes, layouts, scalars, values and a seed. Serialises to JSON and back unchanged.

    ``dtypes`` maps type variables, ``sizes`` dims and shapes, ``layouts`` tensor arguments (absent: dense),
    ``values`` names how elements are drawn, ``extra`` belongs to the check that made the case.
    """

    check: str
    name: str
    dtypes: dict[str, str]
    sizes: dict[str, int | tuple[int, ...]]
    scalars: dict[str, Any] = field(default_factory=dict)
    layouts: dict[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    values: str = "normal"
    seed: int = 0
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name by which reports and ``--only`` know this case."""
        return f"{self.check}/{self.name}"

    def with_other_values(self, number: int = 1) -> Case:
        """The same case, drawn with another seed; each ``number`` is another one."""
        return replace(self, seed=self.seed + number * _SEED_STEP)

    def to_json(self) -> dict[str, Any]:
        """Plain data; shapes become lists."""
        plain = dict(vars(self))
        plain["sizes"] = {k: list(v) if isinstance(v, tuple) else v for k, v in self.sizes.items()}
        plain["absent"] = list(self.absent)
        return plain


def case_from_json(data: dict[str, Any]) -> Case:
    """The case that `Case.to_json` wrote."""
    plain = dict(data)
    plain["sizes"] = {k: tuple(v) if isinstance(v, list) else v for k, v in data["sizes"].items()}
    plain["absent"] = tuple(data["absent"])
    return Case(**plain)
