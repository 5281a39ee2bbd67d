"""Examples of catlass against akgen: `run_upstream catlass` (its options are described there).

Every example that the repository builds for the chip's architecture is built as it is by `akgen exec`; it draws its data and compares
its result itself. Arguments are those of its README, or of lab/catlass_examples.txt.
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import time

ARCH = "2201"
HERE = pathlib.Path(__file__).resolve().parent
USUAL = ("256 512 1024", "192 320 512")  # the sizes of most READMEs, and smaller ones with tails
SAYS = re.compile(r"Compare (success|failed)", re.I)


def examples(root):
    """Names in the order of the list that the build files make for the architecture."""
    text = (root / "examples/CMakeLists.txt").read_text(errors="replace")
    chosen = re.search(rf'CATLASS_ARCH STREQUAL "{ARCH}"\)\s*set\(EXAMPLE_LIST \$\{{(\w+)\}}', text)
    listed = re.search(rf"set\({chosen[1]}\s+([^)]*)\)", text)
    return listed[1].split()


def written():
    out = {}
    for line in (HERE / "catlass_examples.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, *rest = [part.strip() for part in line.split("|")]
            out[name] = rest
    return out


def from_readme(folder):
    for readme in ("README.md", "README_en.md"):
        if (folder / readme).exists():
            if found := re.search(rf"^\s*\./(?:output/bin/)?{folder.name} ([^$\n]+)$", (folder / readme).read_text(errors="replace"), re.M):
                return found[1].replace(*USUAL)
    return ""


class Example:
    def __init__(self, root, name, cmake, options):
        self.root, self.name, self.options = root, name, options
        self.folder = root / "examples" / name
        self.made = cmake((self.folder / "CMakeLists.txt").read_text(errors="replace"))

    def run(self):
        started = time.time()
        result = {"task": self.name, "cases": 1, "passed": 0, "verdict": "infra_error", "reason": "", "built": False, "compared": False,
                  "agrees": False}
        with tempfile.TemporaryDirectory(prefix="akgen_catlass_") as scratch:
            self.examine(pathlib.Path(scratch), result)
        result["wall_ms"] = round(1000 * (time.time() - started))
        return result

    def examine(self, scratch, result):
        arguments, where, script = (written().get(self.name, []) + ["", "", ""])[:3]
        arguments = arguments or from_readme(self.folder)
        for part in ("examples/common", "include"):
            shutil.copytree(self.root / part, scratch / part)
        here = scratch / "examples" / self.name
        shutil.copytree(self.folder, here)
        cwd = scratch / (where or "output/bin")
        cwd.mkdir(parents=True, exist_ok=True)
        scripts = [([c], c.parent) for c in self.made.generators(here)] + ([(shlex.split(script), here)] if script else [])
        for words, folder in scripts:
            done = subprocess.run([self.options.python, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                result.update(verdict="undecided", reason="its script fails: " + done.stdout.decode(errors="replace").strip()[-200:])
                return
        self.execute(here, cwd, scratch, arguments, result)

    def execute(self, here, cwd, scratch, arguments, result):
        report = scratch / "report.json"
        sources = [str(p) for s in self.made.sources for p in sorted(here.glob(s))]
        command = [self.options.akgen, "exec", *sources]
        command += [f"-D{d}" for d in [f"CATLASS_ARCH={ARCH}", f"CATLASS_EXAMPLE_NAME={self.name}", *self.made.defines]]
        command += [f"-I{here / i}" for i in ["../common", "../../include", *self.made.includes]]
        command += [word for a in shlex.split(arguments) for word in ("--arg", a)]
        command += ["--cwd", str(cwd), "--json", str(report), "--timeout", str(self.options.timeout)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = done.stdout.decode(errors="replace")
        if not report.exists():
            result["reason"] = "akgen exec: " + output.strip()[-300:]
            return
        said = json.loads(report.read_text())
        result.update(verdict=said["verdict"], reason=said.get("reason", ""), arguments=arguments, build_ms=said.get("build_ms"),
                      run_ms=said.get("run_ms"), findings=said.get("findings", []), diagnostics=said.get("diagnostics", []))
        result["built"] = bool(said.get("counts")) or said["verdict"] in ("pass", "finding", "runtime_error", "timeout", "wrong_answer")
        says = SAYS.search(said.get("console", ""))
        result["console"] = said.get("console", "")[-2000:]
        result["compared"] = says is not None and "Open file failed" not in said.get("console", "")
        result["agrees"] = result["compared"] and says[1].lower() == "success"
        if result["compared"] and not result["agrees"] and said["verdict"] == "pass":
            result.update(verdict="wrong_answer", reason=says[0])
        elif said["verdict"] == "pass" and not result["compared"]:
            result.update(verdict="undecided", reason="it compares nothing: " + said.get("console", "").strip()[-200:])
        result["passed"] = int(result["agrees"])


def summary(results):
    return {"examples": len(results), "built": sum(r["built"] for r in results), "compared": sum(r["compared"] for r in results),
            "agree": sum(r["agrees"] for r in results)}
