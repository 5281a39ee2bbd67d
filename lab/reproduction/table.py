"""The table of results out of `akgen bench show --json`: compile@k and pass@k by level and in all, estimated without bias."""

LEVELS = {"1": (1,), "2": (2,), "all": (1, 2)}


def at_k(n, c, k):
    """1 - C(n-c, k) / C(n, k): the chance that k of n samples hold one of the c right ones."""
    if n - c < k:
        return 1.0
    miss = 1.0
    for i in range(n - c + 1, n + 1):
        miss *= 1 - k / i
    return 1 - miss


def mean(values):
    return sum(values) / len(values) if values else None


def row(name, model, shown, deterministic=False):
    """One row. A generator that always says the same has the same number for every k."""
    n, out = shown["n"], {"name": name, "model": model, "samples": shown["n"], "compile": {}, "pass": {}}
    for what, field in (("compile", "built"), ("pass", "right")):
        for k in (1, 10):
            if k > n and not deterministic:
                continue
            out[what][str(k)] = {level: mean([at_k(n, u[field], min(k, n)) for u in shown["units"] if u["level"] in levels]) for level, levels in LEVELS.items()}
    out["tasks"] = {level: sum(u["level"] in levels for u in shown["units"]) for level, levels in LEVELS.items()}
    out["without_answer"] = sorted(u["name"] for u in shown["units"] if u["candidates"] == 0)
    out["taxonomy"] = shown["taxonomy"]
    out["units"] = [{k: u[k] for k in ("name", "level", "category", "candidates", "built", "right")} for u in shown["units"]]
    return out


def nothing(names, samples, tasks):
    """What `akgen bench show` would say of a run without a single candidate, which `akgen bench run` refuses."""
    units = []
    for name in names:
        folder = next(tasks.glob(f"level*/*/{name}"))
        units.append({"name": name, "category": folder.parent.name, "level": int(folder.parent.parent.name.removeprefix("level")), "candidates": 0, "built": 0, "right": 0})
    return {"n": samples, "units": units, "taxonomy": {"missing": samples * len(names)}}


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def markdown(rows):
    levels = [level for level in LEVELS if any(r["tasks"][level] for r in rows)]
    heads = [f"{what}@{k}, {'all' if level == 'all' else 'level ' + level}" for what in ("compile", "pass") for k in (1, 10) for level in levels]
    lines = ["| generator | samples | " + " | ".join(heads) + " |", "|---|---|" + "---|" * len(heads)]
    for r in rows:
        cells = [percent(r[what].get(str(k), {}).get(level)) for what in ("compile", "pass") for k in (1, 10) for level in levels]
        lines.append(f"| {r['name']} | {r['samples']} | " + " | ".join(cells) + " |")
    if rows:
        counts = ", ".join(f"{rows[0]['tasks'][level]} of level {level}" for level in levels if level != "all")
        lines += ["", f"Per cent of {rows[0]['tasks']['all']} held-out tasks ({counts}); a task that cannot be asked counts as failed."]
    return "\n".join(lines) + "\n"
