#!/usr/bin/env python3
"""Tiling structures of operators: a neighbour's, and a kernel's own that is named like its host's.

tilings_test.py AKGEN
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

sys.dont_write_bytecode = True
AKGEN = sys.argv[1]

TILING_OF = """#include "register/tilingdata_base.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
namespace optiling {{
BEGIN_TILING_DATA_DEF({name}) TILING_DATA_FIELD_DEF(uint32_t, n); END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS({op}, {name})
static ge::graphStatus Tiling(gert::TilingContext* c) {{
  {name} t; t.set_n(64); t.SaveToBuffer(c->GetRawTilingData()->GetData(), c->GetRawTilingData()->GetCapacity()); c->GetRawTilingData()->SetDataSize(t.GetDataSize());
  c->SetBlockDim(1); c->GetWorkspaceSizes(1)[0] = 0; return ge::GRAPH_SUCCESS;
}}
IMPL_OP_OPTILING({op}).Tiling(Tiling);
}}
"""


def definition_of(op):
    inner = "".join(f'this->{kind}("{name}").ParamType(REQUIRED).DataType({{ge::DT_FLOAT}}).Format({{ge::FORMAT_ND}});' for kind, name in (("Input", "x"), ("Output", "y")))
    return (f'#include "register/op_def_registry.h"\nnamespace ops {{ class {op} : public OpDef {{ public: explicit {op}(const char* n) : OpDef(n) '
            f'{{ {inner} this->AICore().AddConfig("ascend910b"); }} }}; OP_ADD({op}); }}\n')


class Tilings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = pathlib.Path(fresh_cache(tempfile.mkdtemp(prefix="akgen_tilings_cache_")))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.cache, True)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_tilings_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.write("ops/CMakeLists.txt", "project(ops)\ninclude_directories(${PROJECT_SOURCE_DIR}/tools/inc)\n")
        self.write("ops/common/inc/none.h", "#pragma once\n")

    def write(self, name, text):
        (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / name).write_text(text)

    def run_it(self, operator, code=0):
        done = subprocess.run([AKGEN, "run", self.dir / "ops/math" / operator, "--input", "x=f32[64]", "--output", "y=f32[64]", "--json", "-"],
                              capture_output=True, text=True, env={**os.environ, "AKGEN_CACHE": str(self.cache)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_tiling_registered_by_a_neighbour_that_is_named_nowhere(self):
        self.write("ops/math/silent/op_host/silent_def.cpp", definition_of("Silent"))
        self.write("ops/math/silent/op_kernel/silent.cpp", """#include "../loud/loud.h"
extern "C" __global__ __aicore__ void silent(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR tiling) { GET_TILING_DATA_WITH_STRUCT(LoudData, d, tiling); Copy(x, y, d); }
""")
        self.write("ops/math/loud/op_kernel/loud.h", """#pragma once
#include "kernel_operator.h"
using namespace AscendC;
__aicore__ inline void Copy(GM_ADDR x, GM_ADDR y, const LoudData& d) { TPipe p; TBuf<> b; p.InitBuffer(b, 256); LocalTensor<float> t = b.Get<float>(); GlobalTensor<float> X, Y; X.SetGlobalBuffer((__gm__ float*)x); Y.SetGlobalBuffer((__gm__ float*)y); DataCopy(t, X, d.n); PipeBarrier<PIPE_ALL>(); DataCopy(Y, t, d.n); }
""")
        self.write("ops/math/loud/op_host/loud_tiling.cpp", TILING_OF.format(name="LoudData", op="Silent"))
        said = self.run_it("silent")
        self.assertEqual(said["verdict"], "pass", said["reason"])
        shutil.rmtree(self.dir / "ops/math/loud/op_host")
        self.assertIn("LoudData", self.run_it("silent", code=1)["reason"])

    def test_a_kernels_own_structure_named_like_its_hosts(self):
        self.write("ops/math/own/op_host/own.cpp", TILING_OF.format(name="OwnData", op="Own") + definition_of("Own"))
        self.write("ops/math/own/op_kernel/own.cpp", """#include "kernel_operator.h"
namespace mine { struct OwnData { uint32_t n; }; }
using namespace AscendC;
using namespace mine;
extern "C" __global__ __aicore__ void own(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(OwnData); GET_TILING_DATA_WITH_STRUCT(OwnData, d, tiling);
  TPipe p; TBuf<> b; p.InitBuffer(b, 256); LocalTensor<float> t = b.Get<float>(); GlobalTensor<float> X, Y; X.SetGlobalBuffer((__gm__ float*)x); Y.SetGlobalBuffer((__gm__ float*)y);
  DataCopy(t, X, d.n); PipeBarrier<PIPE_ALL>(); DataCopy(Y, t, d.n);
}
""")
        said = self.run_it("own")
        self.assertEqual(said["verdict"], "pass", said["reason"])
        kernel = self.dir / "ops/math/own/op_kernel/own.cpp"
        kernel.write_text(kernel.read_text().replace("d.n)", "d.m)"))
        self.assertIn("'m'", self.run_it("own", code=1)["reason"])

    def test_a_folder_that_the_build_files_name_is_searched(self):
        self.write("ops/math/own/op_host/own.cpp", '#include "blocks.h"\n' + TILING_OF.format(name="OwnData", op="Own") + definition_of("Own"))
        self.write("ops/math/own/op_kernel/own.cpp", '#include "kernel_operator.h"\n#include "blocks.h"\nextern "C" __global__ __aicore__ void own(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR tiling) {}\n')
        self.assertIn("blocks.h", self.run_it("own", code=1)["reason"])
        self.write("ops/tools/inc/blocks.h", "#pragma once\n")
        self.assertNotIn("blocks.h", self.run_it("own", code=1)["reason"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
