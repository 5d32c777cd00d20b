"""Values that cannot be changed behave like frozen dataclasses."""

from __future__ import annotations

import copy
import pickle

import pytest

from opwright.frozen import Frozen, as_dict, field, replace


class Point(Frozen):
    """Two numbers and notes."""

    x: int
    y: int = 0
    notes: dict[str, str] = field(default_factory=dict)


class Named(Point):
    """A point with a name."""

    name: str = "origin"

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name.strip())


def test_fields_come_by_place_or_by_name_and_have_defaults() -> None:
    assert as_dict(Point(1, y=2)) == {"x": 1, "y": 2, "notes": {}}
    assert as_dict(Named(1, name=" a ")) == {"x": 1, "y": 0, "notes": {}, "name": "a"}


@pytest.mark.parametrize("wrong", [Point, lambda: Point(1, 2, {}, 4), lambda: Point(1, z=2)])
def test_wrong_arguments_are_refused(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"Point\(\)"):
        wrong()  # type: ignore[operator]


def test_a_made_default_is_not_shared() -> None:
    one, other = Point(1), Point(1)
    one.notes["a"] = "b"
    assert other.notes == {}


def test_nothing_can_be_set_or_deleted() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="cannot be changed"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot be changed"):
        del point.x


def test_equal_values_of_one_class_are_equal_and_hash_alike() -> None:
    class Flat(Frozen):
        x: int

    assert Flat(1) == Flat(1) != Flat(2)
    assert hash(Flat(1)) == hash(Flat(1))
    assert Point(1) != Named(1)
    assert Flat(1) != 1


def test_replace_copy_and_pickle_give_equal_values() -> None:
    point = Named(1, 2, {"a": "b"}, "n")
    assert replace(point, x=5) == Named(5, 2, {"a": "b"}, "n")
    assert copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point


def test_a_value_shows_its_fields() -> None:
    assert repr(Point(1)) == "Point(x=1, y=0, notes={})"
