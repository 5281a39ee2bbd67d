"""What the importers share: names, and writing a task's three files at once."""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from akgen.kernelbench import Refused  # noqa: E402,F401


def camel(name):
    words = re.split(r"[^0-9A-Za-z]+", name)
    text = "".join(w[:1].upper() + w[1:] for w in words if w)
    return text if text[:1].isalpha() else "Op" + text


def snake(name):
    return re.sub(r"[^0-9a-z]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")


def toml_value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def table(kind, fields):
    return f"[[{kind}]]\n" + "".join(f"{k} = {toml_value(v)}\n" for k, v in fields.items())


def task_text(name, level, category, description, inputs, outputs, attrs, precision, fixed=()):
    head = {"schema": 1, "name": name, "level": level, "category": category, "entry": snake(name), "description": description}
    parts = ["".join(f"{k} = {toml_value(v)}\n" for k, v in head.items())]
    parts += [table("input", i) for i in inputs] + [table("output", o) for o in outputs] + [table("attr", a) for a in attrs]
    parts.append("[precision]\n" + "".join(f"{k} = {toml_value(v)}\n" for k, v in precision.items()))
    if fixed:
        parts.append(f"[hidden]\nfixed = {toml_value(fixed)}\n")
    return "\n".join(parts)


def write_task(out, level, category, name, task, cases, reference):
    """All three files or none: an interrupted import leaves no half task."""
    place = out / f"level{level}" / category / name
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = tempfile.mkdtemp(dir=place.parent, prefix=".new-")
    for file, text in (("task.toml", task), ("cases.json", json.dumps(cases, indent=1) + "\n"), ("reference.py", reference)):
        with open(os.path.join(fresh, file), "w", encoding="utf-8") as f:
            f.write(text)
    os.chmod(fresh, 0o755)
    if place.exists():
        shutil.rmtree(place)
    os.rename(fresh, place)
    return place
