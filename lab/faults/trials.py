"""The tests of the copy: which of them reach which fault, and which of them fail when it is on."""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

from . import processes
from .sites import Failed

FAULTS = 4096  # lab/mutator/self_mutation.h
# As in test.sh, and what reads the sources or compiles headers alone: no fault is in those.
LEFT_OUT_LABELS = {"slow", "slurm", "chromium", "clients", "fuzz", "training", "datasets"}
LEFT_OUT = re.compile(r"repo\.|headers\.|vecapi\.(right|wrong)\.|toolkit_names_tool$|self_mutation")
FOLDERS = {"acl": "sim", "cases": "sim", "vecapi": "sim", "scalar_price": "toolchain", "exploits": "judge", "calibrate": "sim", "profile": "judge",
           "headers": "toolchain"}
# A fault in these may change what a cache holds, so nothing is taken from one: the other modules meet kernels that are built already.
BELOW_CACHES = {"base", "record", "chip", "sandbox", "toolchain", "task"}
WARM = ("pch", "build")


def own_targets(root, modules):
    """What the unit tests of these modules are built by."""
    folders = sorted(p.name for p in (root / "tests").iterdir() if (p / "CMakeLists.txt").exists())
    return [f"tests/{f}/all" for f in folders if FOLDERS.get(f, f.split("_")[0]) in modules]


class Test:
    """One of ctest's tests. `binary`: of a GoogleTest case; cases of one are run together."""

    def __init__(self, row, build):
        properties = {p["name"]: p["value"] for p in row.get("properties", [])}
        self.name, self.command = row["name"], row["command"]
        self.cwd = properties.get("WORKING_DIRECTORY", str(build))
        self.labels = set(properties.get("LABELS", []))
        self.env = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        self.skip_code = int(properties.get("SKIP_RETURN_CODE", 0))
        folder = pathlib.Path(self.cwd).relative_to(build).parts
        self.folder = folder[1] if len(folder) > 1 and folder[0] == "tests" else ""
        self.module = FOLDERS.get(self.folder, self.folder.split("_")[0])
        filters = [a.split("=", 1)[1] for a in self.command if a.startswith("--gtest_filter=")]
        self.binary, self.case = (self.command[0], filters[0]) if filters else (None, None)

    def passed(self, ran):
        return ran.status == 0 or (self.skip_code and ran.status == self.skip_code)


class Journal:
    """One JSON object a line, appended as it becomes known; the last of a name counts."""

    def __init__(self, path):
        self.path, self.lock, self.rows = path, threading.Lock(), {}
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:  # the last one, when it was interrupted
                    continue
                self.rows[row["name"]] = row

    def add(self, row):
        with self.lock:
            self.rows[row["name"]] = row
            with self.path.open("a") as out:
                out.write(json.dumps(row) + "\n")


class Suite:
    """The copy's tests."""

    def __init__(self, copy, folder, options, say):
        self.copy, self.folder, self.options, self.say = copy, folder, options, say
        self.cache = folder / "cache"
        self.reached = Journal(folder / "reached.jsonl")
        self.tried = Journal(folder / "tried.jsonl")
        listed = json.loads(subprocess.run(["ctest", "--test-dir", str(copy.build_dir), "--show-only=json-v1"], capture_output=True, text=True,
                                           check=True).stdout)
        tests = [Test(row, copy.build_dir) for row in listed["tests"] if row.get("command")]
        self.tests = [t for t in tests if not t.labels & LEFT_OUT_LABELS and not LEFT_OUT.match(t.name) and self.wanted(t, options)]
        self.digests, self.common = {}, self.digest_common()
        self.unusable = {}

    @staticmethod
    def wanted(test, options):
        if options.own and options.module and (test.module not in options.module or not os.path.exists(test.command[0])):
            return False
        return bool(test.binary) or not (options.units or options.own)

    def digest(self, *paths):
        content = hashlib.sha256()
        for path in paths:
            for file in sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts) if path.is_dir() else [path]:
                if file.exists():
                    content.update(str(file).encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
        return content.hexdigest()

    def digest_common(self):
        """What any test may run or read: the command, its helpers, data."""
        programs = sorted(p for p in (self.copy.build_dir / "bin").iterdir() if p.name.startswith(("akgen", "lib")))
        data = [self.copy.source / name for name in ("data", "include", "tasks", "examples", "models", "tools", "lab")]
        numbers = json.dumps(self.copy.numbers, sort_keys=True)
        return self.digest(*programs, *data) + hashlib.sha256(numbers.encode()).hexdigest()

    def key(self, test):
        """Changes with all that the test is made of."""
        name = test.binary or test.folder
        if name not in self.digests:
            own = [self.copy.source / "tests" / test.folder] + ([pathlib.Path(test.binary)] if test.binary else [])
            self.digests[name] = hashlib.sha256((self.common + self.digest(*own)).encode()).hexdigest()[:16]
        return self.digests[name]

    def run(self, command, test, limit_s, cache, fault=0, reached=None):
        env = {**os.environ, **test.env, "AKGEN_FAULT": str(fault), "AKGEN_CACHE": str(cache)}
        if reached:
            env["AKGEN_FAULT_REACHED"] = str(reached)
        return processes.run(command, test.cwd, env, limit_s)

    def is_known(self, test):
        """Did it pass as it is now, or take longer than it may when it last ran? What failed is run again."""
        row = self.reached.rows.get(test.name, {})
        if row.get("why") == "too long":
            return row.get("limit", 0) >= self.options.longest
        return bool(row.get("ok")) and row["key"] == self.key(test)

    def record(self):
        """Runs each test once, without a fault, and notes the faults that it comes by."""
        todo = [t for t in self.tests if not self.is_known(t)]
        todo.sort(key=lambda t: not t.binary)
        done = 0
        self.cache.mkdir(exist_ok=True)

        def one(test):
            with tempfile.NamedTemporaryFile(prefix="akf-reached-") as file:
                file.truncate(FAULTS)
                os.chmod(file.name, 0o666)  # some helpers run as another user
                ran = self.run(test.command, test, self.options.longest, self.cache, 0, file.name)
                came_by = [n for n, byte in enumerate(pathlib.Path(file.name).read_bytes()) if byte and n]
            self.reached.add({"name": test.name, "key": self.key(test), "ok": bool(test.passed(ran)), "seconds": round(ran.seconds, 3),
                              "limit": self.options.longest, "reached": came_by, "why": "" if test.passed(ran) else "too long" if ran.status is None else ran.output[-600:]})

        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for _ in pool.map(one, todo):
                done += 1
                self.say(f"which tests reach which fault: {done} of {len(todo)}", passing=True)
        for test in self.tests:
            row = self.reached.rows[test.name]
            if not row["ok"]:
                self.unusable[test.name] = row["why"]
        if not set(self.unusable) < {t.name for t in self.tests}:
            raise Failed(f"no test passes without a fault: {self.folder}/reached.jsonl")

    def reaching(self, number, module):
        """Groups of tests that reach the fault, the module's own first, then unit tests, then by time for what they have found so far."""
        groups = {}
        for test in self.tests:
            row = self.reached.rows[test.name]
            if row["ok"] and number in row["reached"] and (test.module == module or not self.options.own):
                groups.setdefault(test.binary or test.name, []).append(test)
        for group in groups.values():
            group.sort(key=self.seconds)
        finders = collections.Counter(row["by"] for row in list(self.tried.rows.values()))
        cost = lambda g: sum(map(self.seconds, g)) / (1 + sum(finders[t.name] for t in g))
        return sorted(groups.values(), key=lambda g: (g[0].module != module, not g[0].binary, cost(g)))

    def seconds(self, test):
        return self.reached.rows[test.name]["seconds"]

    def within(self, groups, budget):
        """As many of the tests, in order, as take `budget` seconds without a fault; one at least."""
        for group in groups:
            part = []
            for test in group:
                if budget > 0:
                    part.append(test)
                budget -= self.seconds(test)
            if part:
                yield part

    def own_cache(self, module, folder):
        for name in () if module in BELOW_CACHES else WARM:
            if (self.cache / name).is_dir():
                shutil.copytree(self.cache / name, folder / name, symlinks=True)
        return folder

    def try_group(self, group, number, cache):
        """The first of the tests that fails with the fault and passes without it, and how; or nothing."""
        group = list(group)
        while group:
            command, limit = group[0].command, 10 + 10 * sum(map(self.seconds, group))
            if group[0].binary:
                command = [group[0].binary, "--gtest_filter=" + ":".join(t.case for t in group), "--gtest_also_run_disabled_tests", "--gtest_fail_fast"]
            ran = self.run(command, group[0], limit, cache, number)
            if group[0].passed(ran):
                return None
            by = self.failing(group, ran)
            if how := self.confirmed(by, ran, limit, number, cache):
                return {"by": by.name, "how": how}
            group.remove(by)
        return None

    def confirmed(self, test, ran, limit, number, cache):
        """How the fault shows, when it is the fault's doing: the test passes without it. A busy machine is no fault, so what took
        too long is given its time once more, by what it takes just now without the fault."""
        again = self.run(test.command, test, limit, cache)
        if not test.passed(again):
            self.unusable[test.name] = "failed again without a fault"
            return None
        if ran.status is not None:
            return "crash" if ran.status < 0 else "failure"
        ran = self.run(test.command, test, 10 + 10 * again.seconds, cache, number)
        return None if test.passed(ran) else "too long" if ran.status is None else "failure"

    @staticmethod
    def failing(group, ran):
        by_case = {t.case: t for t in group}
        for pattern in (r"^\[  FAILED  \] ([^\s,]+)", r"^\[ RUN      \] (\S+)"):
            named = [by_case[n] for n in re.findall(pattern, ran.output, re.M) if n in by_case]
            if named:
                return named[0] if "FAILED" in pattern else named[-1]
        return group[0]

    def try_one(self, site, marks):
        number = self.copy.numbers[site["id"]]
        groups = self.reaching(number, site["module"])
        key = hashlib.sha256(json.dumps(sorted([t.name, self.key(t)] for g in groups for t in g)).encode()).hexdigest()[:16]
        reaching, budget = sum(map(len, groups)), self.options.budget
        old = self.tried.rows.get(site["id"])
        if site["id"] in marks:
            return {**site, "state": "marked", "reason": marks[site["id"]]}
        if old and (old["key"] == key and (old["tests"] == reaching or old["budget"] >= budget) or (old["state"] == "found" and self.still(old))):
            return {**site, **{k: old[k] for k in ("state", "by", "how", "seconds", "tests", "reaching")}}
        started, found = time.monotonic(), None
        tests = 0
        with tempfile.TemporaryDirectory(prefix="akf-cache-", ignore_cleanup_errors=True) as folder:
            cache = self.own_cache(site["module"], pathlib.Path(folder)) if groups else folder
            for group in self.within(groups, budget):
                tests += len(group)
                if found := self.try_group(group, number, cache):
                    break
        row = {"state": "found" if found else "survived" if groups else "not reached", "by": found and found["by"], "how": found and found["how"],
               "seconds": round(time.monotonic() - started, 2), "tests": tests, "reaching": reaching}
        by_key = next((self.key(t) for g in groups for t in g if found and t.name == found["by"]), "")
        self.tried.add({"name": site["id"], "key": key, "by_key": by_key, "budget": budget, **row})
        return {**site, **row}

    def still(self, old):
        return any(t.name == old["by"] and self.key(t) == old["by_key"] for t in self.tests)

    def try_all(self, drawn, marks):
        results = []
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for n, result in enumerate(pool.map(lambda site: self.try_one(site, marks), drawn), 1):
                results.append(result)
                by = f" by {result['by']} after {result['seconds']:.1f} s" if result.get("by") else ""
                self.say(f"[{n:3}/{len(drawn)}] {result['state']}{by}: {result['file']}:{result['line']}: {result['change'][:80]}")
        return results
