"""The committed parameters: the published ladder of Add in its order, and the errors that docs/timing.md promises."""
import json
import subprocess
import sys
import tempfile

with tempfile.NamedTemporaryFile() as out:
    subprocess.run([sys.argv[1], "--json", out.name], check=True, stdout=subprocess.DEVNULL)
    result = json.load(open(out.name))

ladder = [(e["measured"], e["modelled"]) for e in result["errors"]
          if e["table"] == "add_high_performance" and e["what"] == "task"]
assert len(ladder) == 7, ladder
for step, (measured, modelled) in enumerate(ladder):
    assert abs(modelled / measured - 1) <= 0.20, f"step {step}: {modelled:.2f} us modelled, {measured:.2f} us measured"
for step in range(6):
    assert ladder[step][1] > ladder[step + 1][1], f"step {step + 1} is modelled slower than step {step}: {ladder}"
assert result["median_error"] <= 0.05, result["median_error"]
