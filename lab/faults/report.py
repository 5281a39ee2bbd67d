"""What was found, for people and as JSON."""
import collections
import difflib


def share(row):
    counted = row["planted"] - row["marked"]
    return round(row["found"] / counted, 4) if counted else None


def summary(options, results, suite):
    modules = collections.defaultdict(lambda: {"planted": 0, "found": 0, "marked": 0})
    for r in results:
        row = modules[r["module"]]
        row["planted"] += 1
        row["found"] += r["state"] == "found"
        row["marked"] += r["state"] == "marked"
    for row in modules.values():
        row["share"] = share(row)
    total = {key: sum(row[key] for row in modules.values()) for key in ("planted", "found", "marked")}
    total["cut"] = sum(r["state"] == "survived" and r["tests"] < r["reaching"] for r in results)
    keep = ("file", "line", "function", "kind", "change", "module", "state", "by", "how", "seconds", "tests", "reaching", "reason", "readable")
    faults = [{k: r[k] for k in keep if r.get(k) is not None} for r in results]
    return {"schema": 1, "count": options.count, "seed": options.seed, **total, "share": share(total), "modules": dict(sorted(modules.items())),
            "tests": len(suite.tests), "left_out": suite.unusable, "faults": faults}


def difference(root, fault):
    """The survivor as a unified difference of the source."""
    before = (root / fault["file"]).read_bytes()
    edit = fault["readable"]
    after = before[:edit["offset"]] + edit["text"].encode() + before[edit["offset"] + edit["length"]:]
    lines = [text.decode(errors="replace").splitlines(keepends=True) for text in (before, after)]
    return "".join(difflib.unified_diff(*lines, "a/" + fault["file"], "b/" + fault["file"], n=2))


def tell(record, root):
    for state, title in (("survived", "survived the tests that reach it"), ("not reached", "reached by no test")):
        for fault in (f for f in record["faults"] if f["state"] == state):
            print(f"# {fault['module']}: {fault['kind']} in {fault['function']}: {title} ({fault['tests']} tests of {fault['reaching']}, {fault['seconds']:.1f} s)")
            print(difference(root, fault))
    print(f"{'module':<12}{'planted':>8}{'found':>7}{'marked':>8}{'share':>8}  slowest finding")
    for module, row in record["modules"].items():
        found = [f for f in record["faults"] if f["module"] == module and f["state"] == "found"]
        slowest = max(found, key=lambda f: f["seconds"], default=None)
        last = f"{slowest['seconds']:.1f} s, {slowest['by']}" if slowest else ""
        print(f"{module:<12}{row['planted']:>8}{row['found']:>7}{row['marked']:>8}{percent(row['share']):>8}  {last}")
    print(f"{'all':<12}{record['planted']:>8}{record['found']:>7}{record['marked']:>8}{percent(record['share']):>8}")
    if record["cut"]:
        print(f"{record['cut']} survived what was run of their tests: --budget ended before the rest")
    if record["left_out"]:
        long = sorted(n for n, why in record["left_out"].items() if why == "too long")
        other = sorted(set(record["left_out"]) - set(long))
        print(f"{len(long)} tests are left out as too long: {', '.join(long)}" if long else "", end="\n" if long else "")
        print(f"{len(other)} tests fail without a fault and are left out: {', '.join(other)}" if other else "", end="\n" if other else "")


def percent(value):
    return "" if value is None else f"{100 * value:.0f} %"


def status(record, options):
    """1 when fewer were found than is asked for."""
    shares = [row["share"] for row in record["modules"].values() if row["share"] is not None]
    below = record["share"] is not None and record["share"] < options.require
    return int(below or any(s < options.require_module for s in shares))
