"""Journals of two made-up runs over the same tasks, the same on every call."""
import json

TASKS = ["Abs", "Gelu", "LayerNorm", "MatmulAdd", "Softmax"]
KERNEL = '''```cpp
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void {name}(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {{
  GET_TILING_DATA(t, tiling);
  Kernel kernel;
  kernel.Init(x, y, t.total);
  kernel.Process();
}}
```'''
FAILS = [("wrong_answer", "case 0: output 'y': 37 of 8192 elements differ; wrong: the last 37 elements, from [63, 91] on"),
         ("finding", "case 0: AK1201: PIPE_V reads UB at 0 (Add) while PIPE_MTE2 may still write it: nothing orders the two"),
         ("build_error", "op_kernel/abs.cpp:3: use of undeclared identifier 'DataCopi'"),
         ("rejected", "AK0605: a silent downcast </script><script>document.title='taken'</script>")]


def lines(run):
    yield {"kind": "run", "schema": 1, "config": {"generator": "direct" if run == 0 else "craft"}}
    for t, task in enumerate(TASKS):
        prompt = [{"role": "system", "content": "You write Ascend C kernels."},
                  {"role": "user", "content": f"Write the operator {task} for 910B2.\n\n" + "\n".join(f"- rule {i}: keep tiles aligned to 32 bytes" for i in range(40 if t == 0 else 3))}]
        yield {"kind": "prompt", "hash": f"p{t}", "task": task, "messages": prompt}
        for sample in range(3):
            first = (t + sample + run) % 3
            for turn in range(3):
                never = (t * 2 + sample + t // 3 * run) % 5 == 3 or (t + sample == 3 and (run == 0 or t == 2))
                passes = turn >= first and not never
                verdict, reason = ("pass", "") if passes else FAILS[(t + sample + turn) % len(FAILS)]
                cases = [{"id": "0", "verdict": verdict, "reason": reason, **({"modelled_us": 12.5 + 3 * t - 2 * run} if passes else {})}]
                yield {"kind": "turn", "task": task, "sample": sample, "turn": turn, "prompt": f"p{t}", "answer": f"The tile is too long for UB, so it is halved.\n\n{KERNEL.format(name=task.lower())}",
                       "verdict": verdict, "sealed": True, "reason": reason, "cases": cases, "feedback": "" if passes else f"The verdict is {verdict}.\n{reason}"}
                if passes:
                    break


def write(folder):
    out = []
    for run in range(2):
        out.append(folder / f"run{run}.jsonl")
        out[-1].write_text("".join(json.dumps(line) + "\n" for line in lines(run)))
    return out
