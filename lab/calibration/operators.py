"""Measured products as kernel files, and their modelled times: the framework's operators on the Cube core
(data/timing/measured_910b2.csv) and the vendor's examples (products.py). No parameter of the clock is fitted to an operator.

usage: operators.py AKGEN [--json FILE] [OPERATOR|OPERATOR,CASE|products]...     every row, or those named: its time and error
"""
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import products

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parents[1] / "data/timing"
CORES = 24
TYPES = {"float16": ("half", "f16"), "bfloat16": ("bfloat16_t", "bf16"), "float32": ("float", "f32")}


def up(n, unit):
    return -(-n // unit) * unit


def plan(m, n, k, size, batch=1, cores=CORES):
    """A grid of cores and blocks that fit into L0, for a product of elements of `size` bytes: C++ text."""
    best = None
    for base_m, base_n in ((128, 256), (256, 128), (64, 256)):
        for gm in range(1, cores + 1):
            # Cores begin where blocks do, so that rows of B are aligned.
            single_m, single_n = up(-(-m // gm), 16), -(-n // (cores // gm))
            single_n = up(single_n, base_n if single_n >= base_n else 32)
            gn = -(-n // single_n)
            if gm > -(-m // single_m):
                continue
            products = single_m * single_n
            # Arithmetic, and what comes to L1, in cycles per element of K of 16 bits.
            cost = max(products / 4096, (-(-single_m // base_m) * single_n + -(-single_n // base_n) * single_m) * 2 / 84)
            if best is None or cost < best[0]:
                best = cost, gm, gn, single_m, single_n, min(base_m, single_m), min(base_n, single_n)
    _, gm, gn, single_m, single_n, base_m, base_n = best
    base_k = min(max(32768 // (max(base_m, base_n) * size) // 64 * 64, 16), 1024, up(k, 32))
    step_a, step_b = (min(max(131072 // (rows * base_k * size), 1), 8) for rows in (base_m, base_n))
    return f"Plan{{{m}, {n}, {k}, {batch}, {gm}, {gn}, {single_m}, {single_n}, {base_m}, {base_n}, {base_k}, {step_a}, {step_b}}}", gm * gn


def kernel(name, blocks, args, head, **constants):
    text = f"// launch: blocks={blocks} args={','.join(args)}\n" + (HERE / "kernels/cube.h").read_text() + head
    text += "".join(f"constexpr uint32_t k{key} = {int(value)};\n" for key, value in constants.items())
    return text + (HERE / f"kernels/{name}.cpp").read_text()


def quant_matmul(shapes, dtypes, attrs):
    x, n = shapes[0], shapes[1][-1]
    batch, m, k = x[0] if len(x) == 3 else 1, x[-2], x[-1]
    half, by_row = attrs["output_dtype"] == "float16", "pertoken_scale" not in attrs
    fused = half and not by_row
    cut, blocks = plan(m, n, k, 1, batch)
    head = f"#define TASK_TYPE {'KERNEL_TYPE_AIC_ONLY' if fused else 'KERNEL_TYPE_MIX_AIC_1_2'}\n"
    head += f"constexpr Plan kPlan = {cut};\nusing Out = {'half' if half else 'bfloat16_t'};\n"
    args = [f"in:i8[{batch * m * k}]", f"in:i8[{batch * k * n}]", f"in:f32[{n}]", "in:f32[64]",
            f"out:{'f16' if half else 'bf16'}[{batch * m * n}]", f"workspace[{blocks * 262144}]"]
    return [kernel("quant_product", blocks, args, head, Fused=fused, ByRow=by_row)]


def weight_quant_batch_matmul(shapes, dtypes, attrs):
    (m, k), n = shapes[0], shapes[1][1]
    name, short = TYPES[dtypes[0]]
    wide = "f16" if name == "half" else "f32"
    most = min(512, 32768 // up(m, 16))  # columns of which L0C holds a result
    rounds = next(r for r in range(1, 99) if -(-n // (r * CORES)) <= most)
    width = max(256, up(-(-n // (rounds * CORES)), 64))
    args = [f"in:{short}[{m * k}]", f"in:i8[{k * n}]", f"in:f16[{n}]", f"in:{wide}[{n}]", f"out:{short}[{m * n}]", f"workspace[{CORES * 4 * 131072}]"]
    return [kernel("weight_product", CORES, args, f"using T = {name};\n", M=m, N=n, K=k, Width=width, Blocks=CORES)]


def mha(shapes, dtypes, attrs):
    batch, queries, heads, width = shapes[0]
    keys = shapes[1][1]
    name, short = TYPES[dtypes[0]]
    q, k = batch * queries * heads * width, batch * keys * heads * width
    args = [f"in:{short}[{q}]", f"in:{short}[{k}]", f"in:{short}[{k}]", "in:f32[512]", f"out:{short}[{q}]", f"workspace[{3 * CORES * 2 * 524288}]"]
    return [kernel("attention", CORES, args, f"using T = {name};\n", Batch=batch, Heads=heads, Queries=queries, Keys=keys,
                   Width=width, Causal=attrs["is_causal"], Blocks=CORES)]


def mla_prolog(shapes, dtypes, attrs):
    tokens, hidden, latent, heads = shapes[0][0] * shapes[0][1], shapes[0][2], 1536, 128
    both = latent + 576
    head = "using T = bfloat16_t;\n"
    head += f"constexpr Plan kDown = {plan(tokens, both, hidden, 2)[0]};\nconstexpr Plan kUp = {plan(tokens, heads * 192, latent, 2)[0]};\n"
    head += f"constexpr Plan kByHead = {plan(tokens, 512, 128, 2, cores=1)[0]};\n"
    args = [f"in:bf16[{tokens * hidden}]", f"in:bf16[{hidden * both}]", f"in:bf16[{latent * heads * 192}]",
            f"in:bf16[{heads * 128 * 512}]", f"in:f32[{both}]", f"out:bf16[{heads * tokens * 512}]", f"out:bf16[{tokens * heads * 64}]",
            f"workspace[{tokens * (4 * both + heads * 384)}]"]
    return [kernel("latent_prolog", CORES, args, head, Tokens=tokens, Latent=latent, Heads=heads, Blocks=CORES)]


def conv_2d(shapes, dtypes, attrs):
    (batch, channels, height, width), (out, _, taps_h, taps_w) = shapes[0], shapes[1]
    name, short = TYPES[dtypes[0]]
    c0 = 8 if name == "float" else 16
    stride, pad, dilation = attrs["strides"][0], attrs["pads"][0], attrs["dilations"][0]
    high, wide = ((size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1 for size, taps in ((height, taps_h), (width, taps_w)))
    x, w, y = batch * up(channels, c0) * height * width, up(channels, c0) * taps_h * taps_w * up(out, 16), batch * high * wide * up(out, 16)
    args = [f"in:{short}[{x}]", f"in:{short}[{w}]", f"out:{short}[{y}]"]
    head = f"using T = {name};\nusing Out = {name};\nconstexpr int32_t kPad = {pad};\n"
    product = kernel("convolution", CORES, args, head, Batch=batch, Channels=channels, Height=height, Width=width, OutChannels=out,
                     OutHeight=high, OutWidth=wide, TapsH=taps_h, TapsW=taps_w, Stride=stride, Dilation=dilation, Blocks=CORES)
    through = ("half", "f16") if name == "bfloat16_t" else (name, short)  # as many bytes

    def turn(n):  # a change of layout: TransData
        cores = min(48, -(-n // 1024))
        return kernel("pass", cores, [f"in:{through[1]}[{n}]", f"out:{through[1]}[{n}]"], f"using T = {through[0]};\n", Elements=n, Cores=cores)

    # The others that the row has launch for the bias.
    return [product] + [turn(n) for n in (math.prod(shapes[0]), math.prod(shapes[1]), batch * out * high * wide, out)]


FAMILIES = {f.__name__: f for f in (quant_matmul, weight_quant_batch_matmul, mha, mla_prolog, conv_2d)}


def rows():
    """(operator, case, launches, microseconds, shapes, types, attributes) of each row of the Cube core."""
    with open(DATA / "stands_for.csv", newline="") as f:
        stands = {(r["operator"], r["case"]): r for r in csv.DictReader(f) if r["set"] == "cube" and r["stand_in"] != "eager only"}
    with open(DATA / "measured_910b2.csv", newline="") as f:
        for r in csv.DictReader(f):
            if stand := stands.get((r["operator"], r["case"])):
                yield (r["operator"], r["case"], int(stand["launches"]), float(r["measured_us"]),
                       json.loads(r["input_shape"]), json.loads(r["dtype"]), json.loads(r["attrs"]))


def modelled(akgen, text, folder, checks="none"):
    """Microseconds of a launch of the kernel file."""
    path = pathlib.Path(folder) / "kernel.cpp"
    path.write_text(text)
    done = subprocess.run([akgen, "run", path, "--chip", "910B2", "--time", "--checks", checks, "--timeout", "900", "--json", "-"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (record,) = json.loads(done.stdout[done.stdout.index("["):done.stdout.rindex("]") + 1])
    assert "modelled" in record, record
    return record["modelled"]["us"]


def summary(errors):
    """{rows, median, p90, bias} of (measured, modelled)."""
    off = sorted(abs(us / measured - 1) for measured, us in errors)
    bias = math.exp(statistics.fmean(math.log(us / measured) for measured, us in errors))
    return {"rows": len(off), "median": off[len(off) // 2], "p90": off[min(len(off) - 1, int(0.9 * len(off)))], "bias": bias}


def main(akgen, *wanted):
    wanted, out = list(wanted), None
    if "--json" in wanted:
        at = wanted.index("--json")
        out, wanted[at:at + 2] = wanted[at + 1], []
    found = {}

    def note(operator, case, measured, parts):
        us = sum(parts)
        found.setdefault(operator, []).append((case, measured, us))
        print(f"{operator:26} {case:>17} {measured:12.2f} {us:12.2f} {100 * (us / measured - 1):+6.1f} %  {' '.join(f'{p:.1f}' for p in parts)}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for operator, case, launches, measured, *row in rows():
            if wanted and operator not in wanted and f"{operator},{case}" not in wanted:
                continue
            texts = FAMILIES[operator](*row)[:launches]
            parts = [modelled(akgen, text, folder) for text in texts]
            note(operator, case, measured, parts + parts[-1:] * (launches - len(parts)))
        for name, (product, measured) in products.PUBLISHED.items() if not wanted or "products" in wanted else ():
            note("products", name, measured, [products.whole(akgen, product, folder)])
    every = {name: summary([e[1:] for e in errors]) for name, errors in found.items()}
    every["all"] = summary([e[1:] for errors in found.values() for e in errors])
    print(json.dumps(every, indent=1))
    if out:
        report = {"operators": every, "errors": [{"row": f"{op}, {case}", "measured": a, "modelled": b} for op, errors in found.items() for case, a, b in errors]}
        pathlib.Path(out).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
