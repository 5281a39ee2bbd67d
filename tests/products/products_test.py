"""Products on the Cube core: more of M, N or K is never faster, and published ones take about as long as measured.

usage: products_test.py AKGEN
"""
import pathlib
import sys
import tempfile
import unittest
from dataclasses import replace

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lab/calibration"))
import operators  # noqa: E402
from products import LARGE, PUBLISHED, Product, modelled, whole  # noqa: E402

AKGEN = sys.argv.pop(1)


class Products(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_more_is_never_faster(self):
        sizes = {}
        for m in (128, 256, 512):
            for n in (256, 1024):
                for k in (256, 1024):
                    sizes[m, n, k] = modelled(AKGEN, Product(m, n, k, grid=(2, 4), config="MDL", step=(4, 4), buffers=2), self.folder)
        print(sizes)
        for a, us in sizes.items():
            for b, more in sizes.items():
                if a != b and all(x <= y for x, y in zip(a, b)):
                    self.assertLessEqual(us, more, f"{a} and {b}")

    def test_more_of_an_operator_is_never_faster(self):
        attrs = {"pertoken_scale": None, "output_dtype": "float16"}
        sizes = {(m, n, k): operators.quant_matmul([[m, k], [k, n]], ["int8"] * 2, attrs) for m in (128, 512) for n in (512, 1536) for k in (512, 2048)}
        us = {size: operators.modelled(AKGEN, text, self.folder) for size, (text,) in sizes.items()}
        print(us)
        for a in us:
            for b in us:
                if a != b and all(x <= y for x, y in zip(a, b)):
                    self.assertLessEqual(us[a], us[b], f"{a} and {b}")

    def test_operators_are_right(self):
        """Without a finding of any check, races among them, in small shapes with tails."""
        attrs = {"strides": [1, 1], "pads": [1, 1], "dilations": [1, 1], "is_causal": True, "output_dtype": "bfloat16"}
        for operator, shapes, dtypes, extra in (
                ("quant_matmul", [[96, 160], [160, 128]], ["int8"] * 2, {"pertoken_scale": None, "output_dtype": "float16"}),
                ("quant_matmul", [[100, 160], [160, 96]], ["int8"] * 2, {}),
                ("weight_quant_batch_matmul", [[4, 288], [288, 512]], ["float16", "int8"], {}),
                ("weight_quant_batch_matmul", [[20, 288], [288, 256]], ["bfloat16", "int8"], {}),
                ("mha", [[1, 256, 2, 128]] * 2, ["float16"], {}),
                ("mla_prolog", [[2, 1, 256]], ["bfloat16"], {}),
                ("conv_2d", [[1, 40, 9, 9], [48, 40, 3, 3]], ["float16"], {})):
            with self.subTest(operator=operator, dtypes=dtypes):
                text = operators.FAMILIES[operator](shapes, dtypes, attrs | extra)[0]
                self.assertGreater(operators.modelled(AKGEN, text, self.folder, checks="all"), 0)

    def test_larger_moves_and_unit_flags_do_not_cost(self):
        small = replace(LARGE, m=512, n=4096, k=2048, single_n=0)
        norm, moves, flags = (modelled(AKGEN, p, self.folder) for p in (
            replace(small, config="Norm", step=(1, 1), buffers=1), small, replace(small, config="MDL, unit flag")))
        self.assertLess(moves, 0.8 * norm)
        self.assertLessEqual(flags, moves)

    def test_a_published_product_takes_as_long(self):
        product, measured = PUBLISHED["5 larger L1"]
        self.assertLess(abs(whole(AKGEN, product, self.folder) / measured - 1), 0.15)


unittest.main()
