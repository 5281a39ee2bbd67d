"""Products of half on the Cube core as kernel files, and their modelled times.

usage: products.py AKGEN     every published product of matmul_high_performance and matmul_basic_api, its time and error
"""
import json
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace

CONFIGS = {  # of the library: without unit flags and with them
    "Norm": "GetNormalConfig(false, false, false, BatchMode::BATCH_LESS_THAN_L1, true, IterateOrder::UNDEF, ScheduleType::INNER_PRODUCT, false)",
    "MDL": "GetMDLConfig()",
    "MDL, unit flag": "GetMDLConfig(false, false, 0, false, false, false, true)",
}


@dataclass
class Product:
    """C = A B, B stored [N, K]: a grid of cores, each its part in `rounds` along M."""

    m: int
    n: int
    k: int
    grid: tuple = (1, 1)
    single_n: int = 0
    base: tuple = (128, 256, 64)
    step: tuple = (1, 1)
    buffers: int = 1
    rounds: int = 1
    config: str = "Norm"

    def kernel(self):
        cores = self.grid[0] * self.grid[1]
        single_m, single_n = -(-self.m // self.grid[0]), self.single_n or -(-self.n // self.grid[1])
        return f"""// launch: blocks={cores} args=in:f16[{self.m * self.k}],in:f16[{self.n * self.k}],out:f16[{self.m * self.n}]
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"
using namespace AscendC;
using InGm = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using TurnedInGm = MatmulType<TPosition::GM, CubeFormat::ND, half, true>;
constexpr MatmulConfig kConfig = {CONFIGS[self.config]};
extern "C" __global__ __aicore__ void kernel(GM_ADDR a, GM_ADDR b, GM_ADDR c) {{
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GlobalTensor<half> aGm, bGm, cGm;
  aGm.SetGlobalBuffer((__gm__ half *)a);
  bGm.SetGlobalBuffer((__gm__ half *)b);
  cGm.SetGlobalBuffer((__gm__ half *)c);
  TCubeTiling t;
  t.usedCoreNum = {cores}, t.M = {self.m}, t.N = {self.n}, t.Ka = t.Kb = {self.k};
  t.singleCoreM = {single_m}, t.singleCoreN = {single_n}, t.singleCoreK = {self.k};
  t.baseM = {self.base[0]}, t.baseN = {self.base[1]}, t.baseK = {self.base[2]};
  t.stepM = t.stepN = 1, t.stepKa = {self.step[0]}, t.stepKb = {self.step[1]};
  t.depthA1 = {self.step[0] * self.buffers}, t.depthB1 = {self.step[1] * self.buffers};
  t.dbL0A = t.dbL0B = 2, t.dbL0C = 1, t.iterateOrder = 0;
  TPipe pipe;
  Matmul<InGm, TurnedInGm, InGm, InGm, kConfig> product;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &t);
  constexpr int rounds = {self.rounds}, high = {single_m} / rounds;
  const int column = GetBlockIdx() % {self.grid[1]} * {single_n}, first = GetBlockIdx() / {self.grid[1]} * {single_m};
  for (int row = first; row < first + {single_m} && row < {self.m} && column < {self.n}; row += high) {{
    product.SetTail({self.m} - row < high ? {self.m} - row : high, {self.n} - column < {single_n} ? {self.n} - column : {single_n}, {self.k});
    product.SetTensorA(aGm[(uint64_t)row * {self.k}]);
    product.SetTensorB(bGm[(uint64_t)column * {self.k}], true);
    product.IterateAll(cGm[(uint64_t)row * {self.n} + column]);
  }}
  product.End();
}}
"""


@dataclass
class Basic(Product):
    """The same by the basic interface: kernels/basic_product.cpp."""

    def kernel(self):
        cores, folder = self.grid[0] * self.grid[1], pathlib.Path(__file__).resolve().parent / "kernels"
        cut = [self.m, self.n, self.k, 1, *self.grid, self.m // self.grid[0] // self.rounds, self.single_n, *self.base, *self.step]
        return f"""// launch: blocks={cores} args=in:f16[{self.m * self.k}],in:f16[{self.n * self.k}],out:f16[{self.m * self.n}]
{(folder / "cube.h").read_text()}
constexpr Plan kPlan = Plan{{{", ".join(map(str, cut))}}};
constexpr uint32_t kRounds = {self.rounds};
{(folder / "basic_product.cpp").read_text()}"""


def modelled(akgen, product, folder):
    path = pathlib.Path(folder) / "product.cpp"
    path.write_text(product.kernel())
    done = subprocess.run([akgen, "run", path, "--time", "--checks", "none", "--timeout", "900", "--json", "-"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (record,) = json.loads(done.stdout[done.stdout.index("["):done.stdout.rindex("]") + 1])
    assert "modelled" in record, record
    return record["modelled"]["us"]


SPLIT = Product(8192, 8192, 8192, grid=(4, 6), single_n=1536)
LARGE = replace(SPLIT, config="MDL", step=(8, 4), buffers=2)
PUBLISHED = {  # microseconds of the vendor's examples on a 910B1
    "0 base 64": (replace(SPLIT, grid=(1, 1), single_n=0, base=(64, 64, 64)), 759363.98),
    "1 base 128 256 64": (replace(SPLIT, grid=(1, 1), single_n=0), 249467.08),
    "2 grid 2 x 12": (replace(SPLIT, grid=(2, 12), single_n=683), 12541.22),
    "3 grid 4 x 6": (SPLIT, 12283.84),
    "4 MDL": (replace(SPLIT, config="MDL", step=(2, 4), buffers=2), 5039.86),
    "5 larger L1": (LARGE, 4156.76),
    "6 L2 split": (replace(LARGE, rounds=2), 4088.36),
    "7 constant tiling": (replace(LARGE, rounds=2), 4053.44),  # all that the kernel reads is a constant in the others too
    "8 unit flag": (replace(LARGE, rounds=2, config="MDL, unit flag"), 4012.44),
    "basic, one round": (Basic(8192, 8192, 8192, grid=(4, 6), single_n=1536, step=(8, 4), buffers=2), 4121.16),
    "basic, two rounds": (Basic(8192, 8192, 8192, grid=(4, 6), single_n=1536, step=(8, 4), buffers=2, rounds=2), 4081.64),
}


def whole(akgen, product, folder):
    """Of 8192 rows, from 1024 and 2048 (256 and 512 on one core): every further row takes as long."""
    few = 256 if product.grid == (1, 1) else 1024
    one, two = (modelled(akgen, replace(product, m=m), folder) for m in (few, 2 * few))
    return one + (two - one) * (product.m / few - 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name, (product, measured) in PUBLISHED.items():
            us = whole(sys.argv[1], product, folder)
            print(f"{name:20} {measured:12.2f} {us:12.2f} {100 * (us / measured - 1):+6.1f} %", flush=True)
