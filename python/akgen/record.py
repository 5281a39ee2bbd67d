"""What the generated records have in common: dataclasses that read and write JSON and keep members they do not know."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, Optional, Type, TypeVar

R = TypeVar("R", bound="Record")


def member(name: str, of: Optional[Callable[[], Type["Record"]]] = None, required: bool = True) -> Any:
    """A field that is called `name` in JSON; `of`: the class of the record, or of each one of a list."""
    metadata = {"name": name, "of": of}
    return dataclasses.field(metadata=metadata) if required else dataclasses.field(default=None, metadata=metadata)


def _read(of: Optional[Callable[[], Type["Record"]]], value: Any) -> Any:
    if of is None or value is None:
        return value
    return [_read(of, v) for v in value] if isinstance(value, list) else of().from_json(value)


def _write(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_json()
    return [_write(v) for v in value] if isinstance(value, list) else value


class Record:
    """A JSON object with known members. `more` holds those that a newer server adds, and nulls of members that need not be there."""

    more: Dict[str, Any]

    @classmethod
    def from_json(cls: Type[R], value: Any) -> R:
        if not isinstance(value, dict):
            raise ValueError(f"{cls.__name__}: {type(value).__name__} where an object is expected")
        given, more = {}, dict(value)
        for f in dataclasses.fields(cls):  # type: ignore[arg-type]
            if "name" not in f.metadata:
                continue
            name = f.metadata["name"]
            if more.get(name) is not None:
                given[f.name] = _read(f.metadata["of"], more.pop(name))
            elif name in more and f.default is dataclasses.MISSING:
                given[f.name] = more.pop(name)
            elif f.default is dataclasses.MISSING:
                raise ValueError(f"{cls.__name__}: there is no `{name}`")
        return cls(more=more, **given)  # type: ignore[call-arg]

    def to_json(self) -> Dict[str, Any]:
        out = {}
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            if "name" not in f.metadata:
                continue
            value = getattr(self, f.name)
            if value is not None or f.default is dataclasses.MISSING:
                out[f.metadata["name"]] = _write(value)
        return {**out, **self.more}
