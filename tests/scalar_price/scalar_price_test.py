"""What scalar work costs: spellings of one loop cost the same, more work costs more, and both backends agree.

usage: scalar_price_test.py AKGEN
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import spellings  # noqa: E402
from scalar_price import executed, modelled  # noqa: E402

AKGEN = sys.argv.pop(1)


class ScalarPrice(unittest.TestCase):
    def spell(self, name, backend):
        group = spellings.GROUPS[name]
        nothing, *times = modelled(AKGEN, [spellings.NOTHING, *group.values()], backend)
        work = {spelling: us - nothing for spelling, us in zip(group, times)}
        print(f"{name}, {backend}: " + ", ".join(f"{k} {v:.2f}" for k, v in work.items()))
        self.assertGreater(min(work.values()), 1, "nothing is charged")
        self.assertLessEqual(max(work.values()), 1.1 * min(work.values()))

    def test_spellings_of_a_loop_over_global_memory_cost_the_same(self):
        self.spell("global memory", "native")

    def test_spellings_of_arithmetic_cost_the_same(self):
        self.spell("arithmetic", "native")

    def test_spellings_of_a_loop_over_an_own_array_cost_the_same(self):
        self.spell("own array", "native")

    def test_guests_pay_the_same(self):
        for group in spellings.GROUPS.values():
            kernels = list(group.values())
            for name, native, guest in zip(group, modelled(AKGEN, kernels), modelled(AKGEN, kernels, "guest")):
                self.assertLess(abs(native / guest - 1), 0.03, name)

    def test_more_of_anything_costs_more(self):
        def costs(body):
            return modelled(AKGEN, [spellings.kernel(body.format(n=n)) for n in (256, 512)])
        for body in ("int64_t s = 0;\nfor (int i = 0; i < {n}; ++i) s += ((__gm__ int64_t*)x)[i];\n*(__gm__ int64_t*)y = s;",  # loads of an input
                     "for (int i = 0; i < {n}; ++i) y[i] = 0;",                                  # stores
                     "memcpy(y, x, {n} * 4);",
                     "char a[4096], b[4096];\nmemset(a, 1, {n} * 4);\nmemcpy(b, a, {n} * 4);\ny[0] = b[5];",
                     "float v = 0;\nfor (int i = 0; i < {n}; ++i) v = expf(v);\ny[0] = v;",
                     "uint32_t v = 12345;\nfor (int i = 0; i < {n}; ++i) v = v / 3 + 1000;\ny[0] = v;",
                     "GlobalTensor<float> g;\ng.SetGlobalBuffer(y);\nfor (int i = 0; i < {n}; ++i) g.SetValue(i, 1);",
                     "float a[1024];\nfor (int i = 0; i < {n}; ++i) a[i * 7 % 1024] = i;\ny[0] = a[9];"):
            few, many = costs(body)
            self.assertGreater(many - few, 0.1, body)

    def test_a_helper_called_often_costs_the_same_each_time(self):
        helper = ("template <typename T> __aicore__ inline LocalTensor<T> View(const LocalTensor<uint8_t> &all, uint32_t at) "
                  "{ return all[at].template ReinterpretCast<T>(); }\n")
        begin = "LocalTensor<uint8_t> ub(TPosition::VECCALC, 0, 1024);\nDuplicate(View<float>(ub, 0), 1.0f, 128);\nPipeBarrier<PIPE_V>();\n"
        add = "Add(View<float>(ub, 512), View<float>(ub, 0), View<float>(ub, 256), 64);\n"
        counts = (4, 100, 130, 160, 400)
        least, *times = modelled(AKGEN, [spellings.kernel(begin + add * n + "y[0] = 1;", helper) for n in counts], "guest")
        each = [(us - least) / (n - counts[0]) for us, n in zip(times, counts[1:])]
        self.assertLess(max(each), 1.1 * min(each), each)

    def test_calls_of_the_interface_execute_few_instructions(self):
        # A block takes `scalar_least` cycles for each: calls must not come near what the chip takes for them.
        head, least = 23, 0.03125
        begin = "LocalTensor<uint8_t> ub(TPosition::VECCALC, 0, 2048);\n" + "".join(
            f"LocalTensor<{t}> {t[0]}{i} = ub[{i} * 256].ReinterpretCast<{t}>();\n" for t in ("float", "int16_t", "uint32_t") for i in range(3))
        begin += "Duplicate(f0, 1.0f, 128);\nPipeBarrier<PIPE_V>();\n"
        for call in ("Add(f2, f0, f1, 64);", "Add(i2, i0, i1, 64);", "Add(f2[0], f0[0], f1[0], 64);", "Add(f2, f0, f1, 64, 1, {1, 1, 1, 8, 8, 8});",
                     "Muls(f2, f0, 2.0f, 64);", "Duplicate(u2, 3u, 64);", "ShiftLeft(u2, u0, 2u, 64);", "Cast(i2, f0, RoundMode::CAST_RINT, 64);"):
            few, many = executed(AKGEN, [spellings.kernel(begin + call * n + "\ny[0] = 1;") for n in (10, 110)])
            self.assertLess((many - few) / 100 * least, head / 2, call)

    def test_a_line_of_the_data_cache_is_brought_once(self):
        def cost(body):
            nothing, us = modelled(AKGEN, [spellings.kernel("y[0] = 1;", n=65536), spellings.kernel(
                f"GlobalTensor<float> g;\ng.SetGlobalBuffer(x);\nfloat s = 0;\n{body}\ny[0] = s;", n=65536)])
            return (us - nothing) * 1800  # cycles
        gm, ub = 60, 11.3  # the sum is within them
        for body, lines in (("for (int i = 0; i < 1024; ++i) s += g.GetValue(i);", 64),        # 16 numbers to a line
                            ("for (int i = 0; i < 1024; ++i) s += g.GetValue(i * 16);", 1024),  # each in a line of its own
                            ("for (int k = 0; k < 4; ++k) for (int i = 0; i < 256; ++i) s += g.GetValue(i * 16);", 256),     # 16 KB
                            ("for (int k = 0; k < 2; ++k) for (int i = 0; i < 512; ++i) s += g.GetValue(i * 32);", 512),     # 32 KB, as many lines as there are
                            ("for (int k = 0; k < 2; ++k) for (int i = 0; i < 513; ++i) s += g.GetValue(i * 32);", 1026)):   # one more
            reads = 1026 if "513" in body else 1024
            self.assertAlmostEqual(cost(body) / (lines * gm + (reads - lines) * ub), 1, delta=0.05, msg=body)

    def test_work_in_operators_that_the_interface_calls_costs_the_same(self):
        line = spellings.line
        begin = "LocalTensor<float> t(TPosition::VECCALC, 0, 64);\nLocalTensor<uint8_t> b(TPosition::VECCALC, 0, 64);\n"
        functions = f"struct Later {{\n  float v;\n  __aicore__ operator float() const {{ return {line('v')}; }}\n}};\n"
        for backend in ("native", "guest"):
            nothing, open_, hidden = modelled(AKGEN, [spellings.kernel(begin + body, functions) for body in (
                "y[0] = 1;", f"for (int i = 0; i < 512; ++i) t.SetValue(i % 64, {line('float(i)')});",
                "for (int i = 0; i < 512; ++i) t.SetValue(i % 64, Later{float(i)});")], backend)
            self.assertGreater(hidden - nothing, 0.95 * (open_ - nothing), backend)

    def test_undefined_behaviour_saves_nothing(self):
        # With `odd` never set the compiler may take the loop for unreachable; as compiled for the chip, it runs.
        loop = "for (int i = 0; i < 512; ++i) h = h * 5 ^ i * h;"
        start = "uint32_t h = 7;\n"
        honest, undefined = modelled(AKGEN, [
            spellings.kernel(start + loop + "\ny[0] = h;"),
            spellings.kernel(start + "int odd;\nodd = odd | 1;\nif (odd) { " + loop + " }\nelse __builtin_unreachable();\ny[0] = h;")])
        self.assertGreater(undefined, 0.9 * honest)

    def test_what_nothing_initialises_costs_nothing(self):
        # What the builder stores there is none of the kernel's work; nor in a function that is too large for its canonical form.
        for times in (1, 2000):
            work = "v = v * 3 ^ v;\n" * times
            for backend in ("native", "guest"):
                few, many = modelled(AKGEN, [spellings.kernel(
                    f"struct Many {{ int64_t a[{n}]; int b; }};\nMany m;\nm.b = 3;\nuint32_t v = m.b;\n{work}y[0] = v;") for n in (4, 400)], backend)
                self.assertLess(many - few, 0.1, f"{backend}, {times} statements")

    def test_a_hostile_function_is_counted_in_time(self):
        # Each function calls the one before ten times: a billion instructions if all were put where they are called.
        chain = "int f0(int x) { return x * 3 + 1; }\n" + "".join(
            f"int f{k}(int x) {{ return {' ^ '.join(f'f{k - 1}(x + {j})' for j in range(10))}; }}\n" for k in range(1, 10))
        us, = modelled(AKGEN, [spellings.kernel("y[0] = x_gm == y_gm ? f9(1) : f2(1);", chain)])
        self.assertGreater(us, 2)

    @unittest.skipUnless((pathlib.Path(AKGEN).parent / "akgen-reference").exists(), "needs libtorch")
    def test_a_gelu_without_vector_instructions_is_slower_than_the_example(self):
        with tempfile.TemporaryDirectory() as folder:
            hostile = pathlib.Path(folder) / "fast_gelu"
            shutil.copytree(spellings.ROOT / "examples/kernels/fast_gelu", hostile)
            host = next((hostile / "op_host").glob("*.cpp"))
            host.write_text(re.sub(r"SetBlockDim\(.*\);", "SetBlockDim(1);", host.read_text()))
            next((hostile / "op_kernel").glob("*.cpp")).write_text(spellings.SCALAR_GELU)
            honest, cheap = ([json.loads(subprocess.run(
                [AKGEN, "judge", str(project), "--task", "FastGelu", "--time", "--seed", "1", "--json", "-"], capture_output=True, text=True).stdout)["cases"]
                for project in (spellings.ROOT / "examples/kernels/fast_gelu", hostile)])
            self.assertEqual({c["verdict"] for c in honest + cheap}, {"pass"}, [c.get("reason") for c in cheap])
            for a, b in zip(honest, cheap):
                print(f"FastGelu {a['id']}: {a['modelled']['us']:.2f} us, without vector instructions {b['modelled']['us']:.2f} us")
                self.assertGreater(b["modelled"]["us"], 2 * a["modelled"]["us"])


if __name__ == "__main__":
    unittest.main()
