"""Places for faults in our sources: the list of all of them, and a draw spread over modules and kinds."""
import collections
import concurrent.futures
import hashlib
import json
import math
import pathlib
import re
import shlex
import subprocess
import tomllib


class Failed(Exception):
    """What stops the run, for the person who started it."""


def run(command, cwd, what):
    done = subprocess.run([str(a) for a in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Failed(f"{what}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def tracked(root):
    """What git knows of the checkout, or would: paths relative to it."""
    listed = run(["git", "-c", f"safe.directory={root}", "ls-files", "-co", "--exclude-standard"], root, "git ls-files")
    return sorted(p for p in listed.splitlines() if (root / p).is_file())


def digest(root, paths):
    content = hashlib.sha256()
    for path in paths:
        content.update(path.encode() + b"\0" + (root / path).read_bytes() + b"\0")
    return content.hexdigest()


def units(commands):
    """(source, what its list depends on besides files of src): many sources together, so that their headers are read once."""
    mutator = digest(commands, ["bin/akgen-mutator"])
    for entry in json.loads((commands / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        output = words[words.index("-o") + 1]
        if output.startswith("src/") and "--target" not in entry["command"] and not entry["file"].endswith((".c", ".hxx.cxx")):
            text = pathlib.Path(entry["file"]).read_text()
            yield entry["file"], hashlib.sha256(json.dumps([mutator, words, text]).encode()).hexdigest()


def configured(root, folder, jobs):
    commands = folder / "commands"
    run(["cmake", "-S", root, "-B", commands, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=clang-19",
         "-DCMAKE_CXX_COMPILER=clang++-19", "-DAKGEN_UNITY=ON", "-DAKGEN_UNITY_SOURCES=0", "-DAKGEN_PCH=OFF", "-DAKGEN_TESTS=OFF",
         "-DCCACHE=OFF"], root, "cmake")
    run(["cmake", "--build", commands, "--target", "akgen-mutator", f"-j{jobs}"], root, "akgen-mutator does not build")
    return commands


def list_all(root, folder, jobs, say):
    """All places below src, in order, and a digest of each file with places. A unit is read again when a file of it has changed."""
    say("reading the sources: configuring")
    commands = configured(root, folder, jobs)
    kept = folder / "sites"
    kept.mkdir(exist_ok=True)
    found = {}
    todo = list(units(commands))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for n, sites in enumerate(pool.map(lambda unit: places_of(commands, root, kept, *unit), todo), 1):
            for site in sites:
                change = site["edits"][-1]
                found.setdefault((site["file"], change["offset"], change["length"], site["after"]), site)
            say(f"reading the sources: {n} of {len(todo)}, {len(found)} places", passing=True)
    sites = [named(found[place]) for place in sorted(found)]
    identify(sites)
    return sites, {path: digest(root, [path]) for path in sorted({s["file"] for s in sites})}


def mutator(commands, root, *arguments):
    known = [] if "--" in arguments else ["-p", commands]
    return subprocess.run([commands / "bin/akgen-mutator", *known, "--root", root / "src", *arguments], cwd=root, capture_output=True, text=True)


def flags(commands, unit):
    """What the unit is compiled with, besides its own name and output."""
    entry = next(e for e in json.loads((commands / "compile_commands.json").read_text()) if e["file"] == unit)
    words = shlex.split(entry["command"])[1:]
    return [w for before, w in zip(["", *words], words) if w not in ("-c", "-o", unit) and before != "-o"]


def places_of(commands, root, folder, unit, key):
    kept = folder / (hashlib.sha256(unit.encode()).hexdigest()[:16] + ".json")
    if kept.exists():
        record = json.loads(kept.read_text())
        if record["key"] == key and all((root / p).exists() for p in record["reads"]) and digest(root, record["reads"]) == record["digest"]:
            return record["sites"]
    done = mutator(commands, root, unit)
    parts = re.findall(r'^#include "(.*)"$', pathlib.Path(unit).read_text(), re.M) if done.returncode and "/Unity/" in unit else []
    if parts:  # two of its sources give one name to different things
        done = mutator(commands, root, *parts, "--", *flags(commands, unit))
    if done.returncode:
        raise Failed(f"akgen-mutator cannot read {unit}:\n{done.stderr[-2000:]}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    reads = [p.removeprefix(f"{root}/") for line in lines for p in line.get("reads", [])]
    sites = [line for line in lines if "edits" in line]
    for site in sites:
        site["file"] = site["file"].removeprefix(f"{root}/")
    kept.write_text(json.dumps({"key": key, "reads": reads, "digest": digest(root, reads), "sites": sites}))
    return sites


def named(site):
    site["module"] = site["file"].split("/")[1]
    return site


def identify(sites):
    """A name that outlives changes elsewhere: file, function and the text of the change, counted where there are several."""
    seen = collections.Counter()
    for site in sites:
        change = " ".join(site["before"].split()) + " -> " + (" ".join(site["after"].split()) or "nothing")
        name = f"{site['file']}: {site['function']}: {change}"
        seen[name] += 1
        site["change"] = change if seen[name] == 1 else f"{change} (no. {seen[name]})"
        site["id"] = f"{site['file']}: {site['function']}: {site['change']}"


def shares(modules, count):
    """How many faults of each module: by the square root of its places, one at least."""
    weights = {m: math.sqrt(n) for m, n in modules.items()}
    total = sum(weights.values())
    exact = {m: count * w / total for m, w in weights.items()}
    share = {m: max(1, math.floor(e)) for m, e in exact.items()}
    for m in sorted(exact, key=lambda m: (math.floor(exact[m]) - exact[m], m)):
        if sum(share.values()) < count:
            share[m] += 1
    while sum(share.values()) > count and max(share.values()) > 1:
        share[max(sorted(share), key=lambda m: share[m])] -= 1
    return share


def in_turn(sites, seed):
    """All kinds take turns, so that frequent ones (constants) do not crowd out the others. What a seed says of one place does not
    depend on the others, so a change of a source changes little of a draw."""
    chance = lambda name: hashlib.sha256(f"{seed}/{name}".encode()).digest()
    kinds = collections.defaultdict(list)
    for site in sites:
        kinds[site["kind"]].append(site)
    order = sorted(kinds, key=chance)
    for kind in order:
        kinds[kind].sort(key=lambda site: chance(site["id"]))
    while any(kinds.values()):
        for kind in order:
            if kinds[kind]:
                yield kinds[kind].pop()


def apart(site, spans):
    """Does it share no text with what is planted in its file already? One place cannot hold two faults."""
    return all(e["offset"] + e["length"] <= begin or end <= e["offset"] for e in site["edits"] for begin, end in spans[site["file"]])


def draw_several(sites, count, seeds, left_out=()):
    """seed -> its draw, for one build of all: a place that two of them want differently goes to the first."""
    spans, taken, out = collections.defaultdict(list), set(), {}
    for seed in seeds:
        crossed = {s["id"] for s in sites if s["id"] not in taken and not apart(s, spans)} if taken else set()
        out[seed] = draw(sites, count, seed, set(left_out) | crossed)
        for site in out[seed]:
            taken.add(site["id"])
            spans[site["file"]] += [(e["offset"], e["offset"] + e["length"]) for e in site["edits"]]
    return out


def draw(sites, count, seed, left_out=()):
    """`count` places, at most one a function. The same for the same sources, count and seed."""
    modules = collections.defaultdict(list)
    for site in sites:
        modules[site["module"]].append(site)
    share = shares({m: len(of) for m, of in modules.items()}, count)
    drawn = []
    for module in sorted(modules):
        functions, left = set(), share[module]
        for site in in_turn(modules[module], f"{seed}/{module}"):
            function = (site["file"], site["function"])
            if not left or len(drawn) == count:
                break
            if site["id"] not in left_out and function not in functions:
                functions.add(function)
                drawn.append(site)
                left -= 1
    return drawn


def marked(path):
    """Faults that change nothing, by a person's judgement: id -> reason."""
    rows = tomllib.loads(path.read_text()).get("marked", []) if path.exists() else []
    out = {}
    for row in rows:
        if not all(row.get(key, "").strip() for key in ("file", "function", "change", "reason")):
            raise Failed(f"{path}: each [[marked]] needs file, function, change and reason: {row}")
        out[f"{row['file']}: {row['function']}: {row['change']}"] = row["reason"]
    return out


def matched(marks, names):
    """(id -> reason of those that are there, what is marked and is not). Of a mark whose change is `*` it stands for any text,
    in the function's and the file's name as well."""
    out, gone = {}, []
    for mark, reason in marks.items():
        whole = re.compile(".*".join(map(re.escape, mark.split("*"))) if mark.endswith(": *") else re.escape(mark))
        found = [n for n in names if whole.fullmatch(n)]
        out.update(dict.fromkeys(found, reason))
        gone += [] if found else [mark]
    return out, gone
