"""What a search would answer: the program of the training record whose operations are most like those that are asked for.

Likeness is Jaccard's, of the operations' lines alone and two and three in a row; names of values and numbers do not count, because
they are drawn. Nothing is changed in the program that is found.
"""
import json
import re

NUMBER = re.compile(r"(?<![A-Za-z_])-?\d+(?:\.\d+)?(?:e-?\d+)?")
VALUE = re.compile(r"\b([vxa])\d+(?:\.\d+)?\b")


def shingles(operations):
    lines = [NUMBER.sub("#", VALUE.sub(r"\1", line)).strip() for line in operations.splitlines() if line.strip()]
    return {tuple(lines[i:i + n]) for n in (1, 2, 3) for i in range(len(lines) - n + 1)}


def likeness(a, b):
    return len(a & b) / len(a | b) if a or b else 0.0


class Records:
    """Training records, each program once."""

    def __init__(self, files):
        self.programs, self.shingles, self.by_shingle, seen = [], [], {}, set()
        for file in files:
            for line in file.read_text().splitlines():
                said = {m["role"]: m["content"] for m in json.loads(line)["messages"]}
                if said["assistant"] in seen:
                    continue
                seen.add(said["assistant"])
                number = len(self.programs)
                self.programs.append(said["assistant"])
                self.shingles.append(shingles(said["user"]))
                for s in self.shingles[-1]:
                    self.by_shingle.setdefault(s, []).append(number)

    def nearest(self, operations, count):
        """The programs of the `count` records most alike, the most alike first, of equals the first. Records with nothing in
        common come last."""
        asked, common = shingles(operations), {}
        for s in asked:
            for number in self.by_shingle.get(s, ()):
                common[number] = common.get(number, 0) + 1
        order = sorted(common, key=lambda n: (-likeness(asked, self.shingles[n]), n))[:count]
        order += [n for n in range(len(self.programs)) if n not in common][:count - len(order)]
        return [self.programs[n] for n in order]


def script(records, asked, count):
    """Answers as `akgen generate --model script:FILE` reads them; `asked`: operations by task."""
    lines = []
    for task, operations in asked.items():
        for sample, program in enumerate(records.nearest(operations, count)):
            lines.append(json.dumps({"when": {"task": task, "sample": sample}, "text": program}) + "\n")
    return "".join(lines)
