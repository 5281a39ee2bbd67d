"""Records of akgen by the schemas in docs/schema. Made by tools/python_records; changes are lost."""
from .judgement import Judgement
from .preference_pair import PreferencePair
from .sample import Sample
from .turn import Turn

__all__ = ["Judgement", "PreferencePair", "Sample", "Turn"]
