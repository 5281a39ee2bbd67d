"""Records of akgen by the schemas in docs/schema. Made by tools/python_records; changes are lost."""
from .judgement import Judgement

__all__ = ["Judgement"]
