"""A whole repository of CANN operators against akgen: `run_upstream cann-ops` (its options are described there).

Every operator that its definition registers for the chip is built as it is by `akgen run`, on the cases of lab/cann_ops.toml
where that file has some, else on a few that are tried by its parameters' number; what only builds is counted as built.
"""
import itertools
import json
import math
import pathlib
import random
import re
import subprocess
import tempfile
import time

try:
    import tomllib
except ImportError:
    tomllib = None

CHIP = "ascend910b"
HERE = pathlib.Path(__file__).resolve().parent
CUBE = re.compile(r"\b(MatmulType<|Mmad|MatmulImpl|Matmul<|REGIST_MATMUL_OBJ|KERNEL_TYPE_MIX_AIC_1_[12]|KERNEL_TYPE_AIC_ONLY|Fixpipe|cmct|blaze)\b")
SHORT = {0: "f32", 1: "f16", 27: "bf16", 2: "i8", 3: "i32", 4: "u8", 6: "i16", 7: "u16", 8: "u32", 9: "i64", 10: "u64", 11: "float64", 12: "bool", 29: "i4"}
# What is tried where nothing says more: all inputs of one shape; ordinary, ragged, one row, more than 2^20 elements on all cores.
SHAPES = {"ordinary": "64,256", "ragged": "37,123", "one_row": "1,1000", "large": "1024,1040"}


def operators(root, only):
    """Paths of the operators that are registered for the chip, by the words of their definitions."""
    found = {}
    for definition in sorted(root.rglob("op_host/*_def.cpp")):
        project = definition.parent.parent
        name = str(project.relative_to(root))
        if (only and not re.search(only, name)) or name.split("/")[0] in ("examples", "scripts"):
            continue
        text = definition.read_text(errors="replace")
        headers = "".join(h.read_text(errors="replace") for h in (root / "foreach/foreach_utils/op_host").glob("*.h")) \
            if "FOREACH" in text else ""
        if f'"{CHIP}"' in text + headers and (project / "op_kernel").is_dir():
            found[name] = project
    return found


def uses_cube(project):
    return any(CUBE.search(f.read_text(errors="replace")) for f in (project / "op_kernel").rglob("*")
               if f.suffix in (".h", ".cpp", ".hpp") and "arch35" not in str(f) and not f.stem.endswith("_apt"))


def toml_of(cases):
    quote = json.dumps
    out = []
    for case in cases:
        out.append(f"[[case]]\nid = {quote(case['id'])}")
        for part in ("inputs", "outputs", "attrs"):
            for key, value in case.get(part, {}).items():
                out.append(f"{part}.{quote(key)} = {quote(value)}")
    return "\n".join(out) + "\n"


TYPES = {"int": "int", "float": "float", "bool": "bool", "string": "str", "list_int": "List[int]", "list_float": "List[float]",
         "list_bool": "List[bool]", "list_list_int": "List[List[int]]"}
FLOATS = ("f32", "f16", "bf16")
WITH_DTYPE = re.compile(r"[a-z]+\d*\[")
INT4 = """def int4(pairs: Tensor) -> Tensor:
    high = torch.floor(pairs.double() / 16)
    low = pairs.double() - 16 * high
    return torch.stack([low - 16 * (low > 7), high], -1).flatten(-2)
"""


def window_places(depth, height, width, times):
    """Where in a volume an element of each window of two by two by two is, a different one in each; so many volumes."""
    places = [((2 * i + k % 2) * height + 2 * j + k // 2 % 2) * width + 2 * m + k // 4 % 2
              for k, (i, j, m) in enumerate(itertools.product(range(depth // 2), range(height // 2), range(width // 2)))]
    return ",".join([",".join(map(str, places))] * times)


BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}


def names_of(shape, dtype):
    """What a case's text may use in {…}: its sizes as a list and as letters, c0, and lists of numbers to write out."""
    sizes = [int(s) for s in shape.split(",")]
    rng = random.Random(1)
    listed = lambda values: ",".join(str(v) for v in values)
    return {"s": sizes, **dict(zip("abcdefgh", sizes)), "c0": 32 // BYTES.get(dtype, 4), "list": listed, "prod": math.prod,
            "ints": lambda n, low, high: listed(rng.randint(low, high) for _ in range(n)),
            "sorted_ints": lambda n, low, high: listed(sorted(rng.randint(low, high) for _ in range(n))),
            "shuffled": lambda n: listed(rng.sample(range(n), n)), "windows": window_places}


def expand(text, shape, dtype=""):
    """$ the shape, $m its first size, $n its last, $h half of that, $c its second; {…} what Python makes of it (names_of)."""
    sizes = shape.split(",")
    for mark, value in (("$m", sizes[0]), ("$n", sizes[-1]), ("$h", str(int(sizes[-1]) // 2)), ("$c", sizes[min(1, len(sizes) - 1)]),
                        ("$", shape)):
        text = text.replace(mark, value)
    return re.sub(r"\{([^{}]*)\}", lambda found: str(eval(found[1], names_of(shape, dtype))), text)  # the text is this repository's


def attribute(value, shape, dtype=""):
    """An attribute as it is written, or what follows "=" as Python reads it."""
    return eval(value[1:], names_of(shape, dtype)) if isinstance(value, str) and value.startswith("=") else value


def columns(said, written):
    """Places in the lists of dtypes with the dtype that tells them apart. Formulas hold for floating data unless they say so.
    int4 is where it is asked for."""
    known = lambda d: None if SHORT.get(d) == "i4" and "i4" not in written.get("dtypes", []) else SHORT.get(d)
    real = written.get("y") and not written.get("integers")
    allowed = written.get("dtypes", FLOATS if real else SHORT.values())
    inputs = said.get("inputs", [])
    most = max([len(p.get("dtypes", [])) for p in inputs], default=0)
    rows = [tuple(known(p["dtypes"][min(at, len(p["dtypes"]) - 1)]) for p in inputs if p.get("dtypes")) for at in range(most)]
    varied = next((i for i in range(len(rows[0])) if len({r[i] for r in rows}) > 1), 0) if rows else 0  # the first that has several
    if "by" in written:
        varied = [p["name"] for p in inputs if p.get("dtypes")].index(written["by"])
    seen, out = set(), []
    for at, types in enumerate(rows):
        results = [known(p["dtypes"][min(at, len(p["dtypes"]) - 1)]) for p in said.get("outputs", []) if p["name"] in written.get("out", {})]
        if None not in (*types, *results) and types[varied] not in seen and types[varied] in allowed:
            seen.add(types[varied])
            out.append((at, types[varied]))
    return sorted(out, key=lambda column: written["dtypes"].index(column[1])) if "dtypes" in written else out


def of_list(text, count):
    """So many tensors of one shape: what is drawn is said once, at the end."""
    at = min([text.find(c) for c in "~:@" if c in text], default=len(text))
    return ";".join([text[:at]] * count) + text[at:]


def cases_of(said, written):
    """The cases of an operator: the first combination of dtypes in every shape, up to three others in one."""
    inputs, shapes, count = written.get("in", {}), written.get("shapes", SHAPES), written.get("tensors", 3)
    attrs = {a["name"]: a["default"] for a in said.get("attrs", []) if a.get("default") is not None}
    attrs.update(written.get("attrs", {}))
    dtype = lambda p, at: SHORT[p["dtypes"][min(at, len(p["dtypes"]) - 1)]]
    cases = []
    for place, (at, named) in enumerate(columns(said, written)[:4]):
        for name, shape in shapes.items() if place == 0 else [("ordinary", next(iter(shapes.values())))]:
            case = {"id": f"{name}_{named}", "inputs": {}, "outputs": {},
                    "attrs": {key: attribute(value, shape, named) for key, value in attrs.items()}}
            for p in said["inputs"]:
                text = expand(inputs.get(p["name"], "-" if p.get("param_type") == "optional" else "[$]"), shape, named)
                if text != "-":
                    one = text if WITH_DTYPE.match(text) else dtype(p, at) + text
                    case["inputs"][p["name"]] = of_list(one, count) if p.get("param_type") == "dynamic" else one
            declared = [p["name"] for p in said.get("outputs", [])]
            for p in said.get("outputs", []) + [p for p in said["inputs"] if p["name"] not in declared]:
                if p["name"] in written.get("out", {}):
                    text = expand(written["out"][p["name"]], shape, named)
                    one = text if WITH_DTYPE.match(text) else dtype(p, at) + text
                    case["outputs"][p["name"]] = of_list(one, count) if p.get("param_type") == "dynamic" else one
            cases.append(case)
    return cases


def reference_of(said, written, cases):
    """The function that the expressions of `y` are the results of."""
    if not written.get("y"):
        return ""
    kind = {"dynamic": "List[Tensor]", "optional": "Optional[Tensor]"}
    words = [f"{p['name']}: {kind.get(p.get('param_type'), 'Tensor')}" for p in said["inputs"]]
    words += [f"{a['name']}: {TYPES.get(a['type'], 'int')}" for a in said.get("attrs", []) if a["name"] in cases[0]["attrs"]]
    given = [p["name"] for p in said["inputs"] if p.get("param_type") == "optional" and all(p["name"] in c["inputs"] for c in cases)]
    lines = [f"assert {name} is not None" for name in given] + written.get("do", "").strip().splitlines()
    return INT4 + f"def reference({', '.join(words)}):\n" + "".join(f"    {line}\n" for line in lines) + \
        f"    return {', '.join(written['y'])}\n"


def public_cases(name):
    """Of a task the first cases and a larger one, none of more than 2^22 elements."""
    file = next((HERE.parent / "tasks").rglob(f"{name}/cases.json"), None)
    if not file:
        return ""
    def elements(value):
        if isinstance(value, list) and value and all(isinstance(v, int) for v in value):
            return math.prod(value)
        return max([elements(v) for v in (value.values() if isinstance(value, dict) else value)], default=0) \
            if isinstance(value, (list, dict)) else 0
    sizes = [(elements({k: v for k, v in c.items() if "shape" in k}), c["id"]) for c in json.loads(file.read_text())]
    fitting = [s for s in sizes if s[0] <= 1 << 22]
    chosen = [i for _, i in fitting[:4]] + [i for _, i in sorted(fitting)[-1:]]
    return ",".join(dict.fromkeys(chosen))


class Operator:
    def __init__(self, name, project, written, options):
        self.name, self.project, self.written, self.options = name, project, written, options
        camel = "".join(word.capitalize() for word in project.name.split("_"))
        if "y" not in written:  # a task of akgen's own, of the same operator
            self.task = written.get("task", next((t.parent.name for t in (HERE.parent / "tasks").rglob("task.toml")
                                                  if t.parent.name.lower() == camel.lower()), ""))
        else:
            self.task = ""

    def call(self, *words):
        command = [self.options.akgen, *words, *(["--with-sources", self.options.opbase] if self.options.opbase else []), "--repository", self.options.dir, "--json", "-"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=self.options.timeout)
        try:
            return json.loads(done.stdout.decode())
        except ValueError:
            return {"verdict": "infra_error", "reason": done.stderr.decode(errors="replace")[-300:]}

    def run(self):
        started = time.time()
        result = {"task": self.name, "cases": 0, "passed": 0, "verdict": "infra_error", "reason": "", "vector": not uses_cube(self.project),
                  "built": False, "ran": False, "compared": False}
        try:
            self.examine(result)
        except subprocess.TimeoutExpired:
            result["verdict"], result["reason"] = "timeout", f"more than {self.options.timeout} s"
        result["wall_ms"] = round(1000 * (time.time() - started))
        return result

    def examine(self, result):
        said = self.call("doctor", str(self.project))
        result["lacking"] = said.get("lacking", [])
        for part in ("host", "kernel", "libraries"):
            result[f"build_{part}_ms"] = said.get(f"build_{part}_ms", 0)
        result["verdict"], result["reason"] = said.get("verdict"), said.get("reason", "")
        result["built"] = said.get("verdict") == "pass"
        if not result["built"] or self.options.build_only:
            return
        chosen = public_cases(self.task) if self.task else ""
        if chosen:
            return self.judge(self.call("judge", str(self.project), "--task", self.task, "--case", chosen, "--precision", "strict",
                                        "--seed", "1"), result)
        cases = cases_of(said, self.written)
        if not cases:
            result["verdict"], result["reason"] = "undecided", "no case is written down, and none can be tried"
            return
        self.judge(self.run_cases(cases, reference_of(said, self.written, cases)), result)

    def run_cases(self, cases, reference):
        with tempfile.TemporaryDirectory() as folder:
            file, script = pathlib.Path(folder, "cases.toml"), pathlib.Path(folder, "reference.py")
            file.write_text(toml_of(cases))
            script.write_text(reference)
            return self.call("run", str(self.project), "--cases", str(file), *(["--reference", str(script)] if reference else []))

    def judge(self, ran, result):
        cases = [c for c in ran.get("cases", []) if c["verdict"] != "skipped"]
        # Cases of ours that the operator refuses say nothing of it, as long as it takes one.
        accepted = [c for c in cases if c["verdict"] not in ("runtime_error", "build_error") or not re.search("the tiling function returned|no combination of ASCENDC_TPL_SEL", c["reason"])]
        good = [c for c in accepted if c["verdict"] == "pass"]
        bad = [c for c in accepted if c["verdict"] != "pass"]
        result.update(cases=len(cases), passed=len(good), ran=bool(good) and not bad)
        result["codes"] = sorted({f["code"] for c in cases for f in c.get("findings", []) if not f.get("warning")})
        result["case_reasons"] = {c["id"]: f"{c['verdict']}: {c['reason']}"[:300] for c in cases if c["verdict"] != "pass"}
        result["lacking"] += ran.get("lacking", [])
        result["compared"] = any(c.get("outputs") for c in cases)
        result["blocks"] = max([c.get("block_dim", 0) for c in cases], default=0)
        if bad:
            result["verdict"], result["reason"] = bad[0]["verdict"], f"case {bad[0]['id']}: {bad[0]['reason']}"
        elif good:
            result["verdict"], result["reason"] = "pass", ""
        elif cases:
            result["verdict"], result["reason"] = "undecided", "it takes none of the cases tried: " + cases[0]["reason"]
        else:
            result["verdict"], result["reason"] = ran.get("verdict", "infra_error"), ran.get("reason", "")


def written_cases(path):
    if not path.exists() or tomllib is None:
        return {}
    with open(path, "rb") as f:
        return tomllib.load(f)


def summary(results):
    vector = [r for r in results if r["vector"]]
    verdicts = lambda v: sum(r["verdict"] == v for r in results)
    lacking = {}
    for r in results:
        for name in set(r.get("lacking", [])):
            lacking[name] = lacking.get(name, 0) + 1
    return {"operators": len(results), "vector": len(vector), "built": sum(r["built"] for r in results),
            "vector_built": sum(r["built"] for r in vector), "clean": verdicts("pass"), "findings": verdicts("finding"),
            "wrong": verdicts("wrong_answer"), "unsupported": verdicts("unsupported"), "build_error": verdicts("build_error"),
            "rejected": verdicts("rejected"), "infra_error": verdicts("infra_error"), "undecided": verdicts("undecided"),
            "compared": sum(r["compared"] for r in results),
            "lacking": dict(sorted(lacking.items(), key=lambda item: -item[1])[:60])}
