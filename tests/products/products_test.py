"""Products on the Cube core: more of M, N or K is never faster, and published ones take about as long as measured.

usage: products_test.py AKGEN
"""
import pathlib
import sys
import tempfile
import unittest
from dataclasses import replace

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/calibration"))
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
