"""A copy of the checkout with all faults in it, each behind its number, and one build of that."""
import bisect
import json
import os
import pathlib
import re
import signal
import subprocess

from . import sites as places

HEADER = "self_mutation.h"
SWITCH = "::akgen::self_mutation::On({})"
QUICK = ["-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"]  # of a build that runs each test a few times


def planted_text(text, faults):
    """The bytes of a file with its faults, and for each fault's number the lines it stands on."""
    edits = {}
    for number, site in faults:
        for edit in site["edits"]:
            new = edit["text"].replace("@ON@", SWITCH.format(number)).encode()
            edits.setdefault((edit["offset"], edit["length"], new), []).append(number)
    first = f'#include "{HEADER}"\n'.encode()
    out, at, spans = [first], 0, []
    written = len(first)
    for (offset, length, new), numbers in sorted(edits.items()):
        if offset < at:
            raise ValueError("two faults in one place")
        out += [text[at:offset], new]
        written += offset - at
        spans.append((written, written + len(new), numbers))
        written += len(new)
        at = offset + length
    made = b"".join(out + [text[at:]])
    ends = [i for i, c in enumerate(made) if c == 10]
    lines = {}
    for begin, end, numbers in spans:
        for line in range(bisect.bisect_left(ends, begin) + 1, bisect.bisect_left(ends, end - 1) + 2):
            lines.setdefault(line, set()).update(numbers)
    return made, lines


def write_where_different(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class Copy:
    """The copy, its build and the numbers of its faults."""

    def __init__(self, root, folder, files, jobs, say):
        self.files = files
        self.root, self.source, self.build_dir, self.jobs, self.say = root, folder / "source", folder / "build", jobs, say
        self.numbers_file, self.numbers = folder / "numbers.json", {}
        if self.numbers_file.exists():
            self.numbers = json.loads(self.numbers_file.read_text())
        self.lines = {}

    def number(self, drawn):
        """Numbers stay with their faults: a fault that is replaced changes no other file."""
        kept = {s["id"]: self.numbers[s["id"]] for s in drawn if s["id"] in self.numbers}
        free = iter(n for n in range(1, 4096) if n not in kept.values())
        self.numbers = {s["id"]: kept.get(s["id"]) or next(free) for s in drawn}
        self.numbers_file.write_text(json.dumps(self.numbers, indent=1))

    def plant(self, drawn):
        self.number(drawn)
        by_file = {}
        for site in drawn:
            by_file.setdefault(site["file"], []).append((self.numbers[site["id"]], site))
        paths = set(places.tracked(self.root))
        for path in paths:
            content = (self.root / path).read_bytes()
            if path in by_file:
                if places.digest(self.root, [path]) != self.files[path]:
                    raise places.Failed(f"{path} has changed since its places were read: run it again")
                content, self.lines[path] = planted_text(content, by_file[path])
            write_where_different(self.source / path, content)
            (self.source / path).chmod((self.root / path).stat().st_mode)
        write_where_different(self.source / "src" / HEADER, (self.root / "lab/mutator" / HEADER).read_bytes())
        for old in [p for p in self.source.rglob("*") if p.is_file() or p.is_symlink()]:
            path = str(old.relative_to(self.source))
            if path not in paths and path != f"src/{HEADER}" and "__pycache__" not in path:
                old.unlink()

    def build(self, targets=()):
        """Numbers of faults that do not compile; empty when all is built. `targets`: not everything."""
        places.run(["cmake", "--preset", "release", "-DAKGEN_MUTATOR=OFF", *QUICK, "-B", self.build_dir], self.source, "the copy cannot be configured")
        command = ["cmake", "--build", self.build_dir, f"-j{self.jobs}", *(["--target", *targets] if targets else []), "--", "-k", "0"]
        with subprocess.Popen(command, cwd=self.source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              process_group=0) as build:
            said = []
            try:
                for line in build.stdout:
                    said.append(line)
                    if step := re.match(r"\[(\d+)/(\d+)\]", line):
                        self.say(f"building: {step[1]} of {step[2]}", passing=True)
            except KeyboardInterrupt:
                os.killpg(build.pid, signal.SIGINT)
                raise
        if not build.returncode:
            return set()
        (self.build_dir / "failed.log").write_text("".join(said))
        wrong = self.blamed(said)
        if not wrong:
            raise places.Failed(f"the copy does not build, and no fault is to blame: {self.build_dir}/failed.log")
        return wrong

    def blamed(self, said):
        """Faults on lines that errors, or the notes that follow them, name; else those of the files that are named."""
        wrong, files, error = set(), set(), False
        for line in said:
            match = re.match(r"(\S+?):(\d+):\d+: (error|note|warning|fatal error): ", line)
            if not match:
                continue
            error = match[3].endswith("error") or (error and match[3] == "note")
            path = str(pathlib.Path(match[1])).removeprefix(f"{self.source}/")
            if error and path in self.lines:
                files.add(path)
                wrong |= self.lines[path].get(int(match[2]), set())
        return wrong or {n for path in files for numbers in self.lines[path].values() for n in numbers}


def plant_and_build(root, folder, sites, files, count, seeds, jobs, say, targets=()):
    """Draws, plants and builds until all compiles; (copy, seed -> drawn). What does not compile is remembered and never drawn again."""
    kept = folder / "does_not_compile.json"
    left_out = set(json.loads(kept.read_text())) if kept.exists() else set()
    copy = Copy(root, folder, files, jobs, say)
    while True:
        draws = places.draw_several(sites, count, seeds, left_out)
        drawn = list({s["id"]: s for of in draws.values() for s in of}.values())
        copy.plant(drawn)
        wrong = copy.build(targets)
        if not wrong:
            return copy, draws
        names = {copy.numbers[s["id"]]: s["id"] for s in drawn}
        left_out |= {names[n] for n in wrong}
        kept.write_text(json.dumps(sorted(left_out), indent=1))
        say(f"{len(wrong)} faults do not compile and are replaced")
