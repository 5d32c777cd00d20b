"""Value classes that cost next to nothing to define.

`dataclasses.dataclass` writes and compiles six methods a class: about half a millisecond, of the twenty
that finding a library in the store may take with all imports. These share their methods instead. Use
them where a hit passes; elsewhere a dataclass is the better known thing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """Only type checkers need it, and Python 3.10 has none."""
        return lambda cls: cls


class _Made:
    """A default that is made anew for each object."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def field(*, default_factory: Callable[[], Any]) -> Any:
    """A field whose default is made anew for each object, as in dataclasses."""
    return _Made(default_factory)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """Fields are the class's annotations, as in a frozen dataclass: equal by value, unchangeable.

    ``__post_init__`` is called last; in it, `object.__setattr__` sets a field.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        own = tuple(cls.__annotations__)
        cls._fields = (*cls._fields, *(name for name in own if name not in cls._fields))
        cls._defaults = cls._defaults | {n: cls.__dict__[n] for n in own if n in cls.__dict__}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(self._fields):
            raise TypeError(f"{type(self).__name__}() takes {len(self._fields)} arguments")
        values = dict(zip(self._fields, args, strict=False))
        for name in self._fields[len(args) :]:
            if name in kwargs:
                values[name] = kwargs.pop(name)
            elif name in self._defaults:
                default = self._defaults[name]
                values[name] = default.factory() if isinstance(default, _Made) else default
            else:
                raise TypeError(f"{type(self).__name__}() lacks argument {name!r}")
        if kwargs:
            raise TypeError(f"{type(self).__name__}() has no argument {next(iter(kwargs))!r}")
        self.__dict__.update(values)
        self.__post_init__()

    def __post_init__(self) -> None:
        """For subclasses that check or complete their fields."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name!r}")

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Frozen)
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({shown})"


Value = TypeVar("Value", bound=Frozen)


def replace(value: Value, **changes: Any) -> Value:
    """A copy with some fields changed; it is checked like any new object."""
    return type(value)(**{**as_dict(value), **changes})


def as_dict(value: Frozen) -> dict[str, Any]:
    """The fields by name; what they hold is not copied."""
    return {name: getattr(value, name) for name in value._fields}
