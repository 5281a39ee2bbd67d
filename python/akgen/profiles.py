"""What limits a kernel that runs, and what changes to it would gain."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List

from .record import Record, member


@dataclass
class Profile(Record):
    """Of one case, in modelled time."""

    case: str = member("case")
    bottleneck: str = member("bottleneck")  # such as "vector-bound", "small bursts", "launch-bound"
    why: str = member("why")
    modelled_us: float = member("modelled_us")
    advice: List[Dict[str, Any]] = member("advice")  # the largest gain first
    more: Dict[str, Any] = field(default_factory=dict)
