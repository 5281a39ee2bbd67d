"""Answers of an NPUKernelBench checkout, as candidates for `akgen bench run --candidates`: links, nothing is copied."""
import os

from importers.common import Refused

# Further tasks that an answer is for, where the benchmark's reference and its answer read an operator in two ways.
READINGS = {"FlashAttentionScoreWithLargeHeadDim": ["FlashAttentionScorePerHead"]}


def tasks_of(operator):
    return [operator, *READINGS.get(operator, [])]


def sources(args):
    for checkout in args.paths:
        root = checkout / "tasks" if (checkout / "tasks").is_dir() else checkout
        found = sorted(p for p in root.glob("level*/*/*/answer/*") if p.is_dir())
        yield from (p for p in found if args.level is None or p.parts[-5] == f"level{args.level}")


def bring(answer, args):
    """tasks/levelL/Category/Task/answer/K becomes OUT/Task/sampleK, for each task that it is for."""
    task, number = answer.parts[-3], answer.name
    if not number.isdigit():
        raise Refused("an answer's folder is a number")
    for half in ("op_host", "op_kernel"):
        if not (answer / half).is_dir():
            raise Refused(f"it has no {half}/")
    links = [args.out / name / f"sample{number}" for name in tasks_of(task)]
    for link in links:
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_symlink():
            link.unlink()
        elif link.exists():
            raise Refused(f"{link} is there already and is no link of this command")
        os.symlink(answer.resolve(), link)
    return {"name": f"{task}/sample{number}", "what": answer.parts[-5], "folder": str(links[0])}
