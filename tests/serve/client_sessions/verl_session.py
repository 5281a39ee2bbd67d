"""verl's reward by SandboxFusion, out of its wheel, without torch."""
import concurrent.futures
import importlib.metadata
import importlib.util
import json
import sys
import threading
import types

from common import ONE_FENCE, PROGRAM, URL, kernel_of, same

KERNEL_UNSUPPORTED = kernel_of("convolution_not_yet")

folder = next(f.locate().parent for f in importlib.metadata.files("verl") if str(f).endswith("sandbox_fusion/__init__.py"))
for name in ("verl", "verl.utils", "verl.utils.reward_score"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = []
spec = importlib.util.spec_from_file_location("verl.utils.reward_score.sandbox_fusion", folder / "__init__.py", submodule_search_locations=[str(folder)])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)


def score(answer, inputs, semaphore=threading.Semaphore(8)):
    return module.compute_score(URL + "/run_code", semaphore, 1024, answer, {"inputs": inputs, "outputs": ["PASS"] * len(inputs)}, continuous=True)


parts = ["Lerp#compile", "Lerp#case0", "Lerp#case1", "Lerp#case2"]
program = f"```python\n{PROGRAM}\n```"
same(score(program, parts)[0], 1.0, "a right one")
same(score(program.replace("+", "-"), parts)[0], 0.25, "a wrong one builds")
same(score("no code", parts)[0], 0.0, "no code")
# Of a project it sends the first fence: all files stand in it.
same(score(ONE_FENCE, ["Sqrt"])[0], 1.0, "a project in one fence")
# 64 callers at a time, more work than fits into its 30 s for a reply: the wait is nobody's fault.
together = threading.Semaphore(64)
answers = [(f"```python\n# answer {i}\n{PROGRAM if i % 8 else PROGRAM.replace('+', '-')}\n```", 1.0 if i % 8 else 0.0) for i in range(64)]
with concurrent.futures.ThreadPoolExecutor(64) as pool:
    scores = list(pool.map(lambda a: score(a[0], ["Lerp"], together), answers))
same([s for s, _ in scores], [wanted for _, wanted in answers], "64 callers")
same({d[0]["status"] for _, d in scores}, {"success", "runtime_error"}, "64 callers")
# What must not become a number: 504, which verl asks for three times and then counts as an error of the sandbox, -1.
got, details = score(f"```cpp\n{KERNEL_UNSUPPORTED}\n```", ["UnalignAdd"])
same((got, details[0].get("status")), (0.0, "api_error"), "an unsupported kernel")
