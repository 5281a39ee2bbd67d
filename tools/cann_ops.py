"""A whole repository of CANN operators against akgen: `run_upstream cann-ops` (its options are described there).

Every operator that its definition registers for the chip is built as it is by `akgen run`, on the cases of tools/cann_ops.toml
where that file has some, else on a few that are tried by its parameters' number; what only builds is counted as built.
"""
import json
import pathlib
import re
import subprocess
import tempfile
import time

try:
    import tomllib
except ImportError:
    tomllib = None

CHIP = "ascend910b"
CUBE = re.compile(r"\b(Mmad|MatmulImpl|Matmul<|REGIST_MATMUL_OBJ|matmul_intf|KERNEL_TYPE_MIX_AIC_1_[12]|KERNEL_TYPE_AIC_ONLY|Fixpipe|cmct|blaze)\b")
SHORT = {0: "f32", 1: "f16", 27: "bf16", 2: "i8", 3: "i32", 4: "u8", 6: "i16", 7: "u16", 8: "u32", 9: "i64", 10: "u64", 11: "float64", 12: "bool"}
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


class Operator:
    def __init__(self, name, project, written, options):
        self.name, self.project, self.written, self.options = name, project, written, options

    def call(self, *words):
        command = [self.options.akgen, *words, "--with-sources", self.options.opbase, "--repository", self.options.dir, "--json", "-"]
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
        result["build_host_ms"], result["build_kernel_ms"] = said.get("build_host_ms", 0), said.get("build_kernel_ms", 0)
        result["verdict"], result["reason"] = said.get("verdict"), said.get("reason", "")
        result["built"] = said.get("verdict") == "pass"
        if not result["built"] or self.options.build_only:
            return
        cases = self.written.get("cases") or self.tried(said)
        if not cases:
            result["verdict"], result["reason"] = "undecided", "no case is written down, and none can be tried"
            return
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(toml_of(cases))
            file.flush()
            words = ["run", str(self.project), "--cases", file.name]
            with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
                if self.written.get("reference"):
                    script.write(self.written["reference"])
                    script.flush()
                    words += ["--reference", script.name]
                ran = self.call(*words)
        self.judge(ran, result)

    def tried(self, said):
        """One dtype of each parameter, all of one shape."""
        inputs = [p for p in said.get("inputs", []) if p.get("param_type") != "optional"]
        if not inputs or any(not p.get("dtypes") or SHORT.get(p["dtypes"][0]) is None for p in inputs):
            return []
        return [{"id": name, "inputs": {p["name"]: f"{SHORT[p['dtypes'][0]]}[{shape}]" for p in inputs},
                 "attrs": {a["name"]: a["default"] for a in said.get("attrs", []) if a.get("default") is not None}}
                for name, shape in SHAPES.items()]

    def judge(self, ran, result):
        cases = ran.get("cases", [])
        # Cases of ours that the operator refuses say nothing of it, as long as it takes one.
        accepted = [c for c in cases if c["verdict"] != "runtime_error"] if not self.written.get("cases") else cases
        good = [c for c in accepted if c["verdict"] == "pass"]
        bad = [c for c in accepted if c["verdict"] != "pass"]
        result.update(cases=len(cases), passed=len(good), ran=bool(good) and not bad)
        result["codes"] = sorted({f["code"] for c in cases for f in c.get("findings", [])})
        result["case_reasons"] = {c["id"]: f"{c['verdict']}: {c['reason']}"[:300] for c in cases if c["verdict"] != "pass"}
        result["lacking"] += ran.get("lacking", [])
        result["compared"] = bool(good) and all(c.get("outputs") for c in good)
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
