#!/usr/bin/env python3
"""What repositories of operators say of themselves: options, submodules, sources that nothing compiles, names of the toolkit.

repositories_test.py AKGEN
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
PARAMS = "".join(f'this->{kind}("{name}").ParamType(REQUIRED).DataType({{ge::DT_FLOAT}}).Format({{ge::FORMAT_ND}});'
                 for kind, name in (("Input", "x"), ("Output", "y")))
DEFINITION = ('#include "register/op_def_registry.h"\nnamespace ops { class Same : public OpDef { public: explicit Same(const char* n) : OpDef(n) { '
              + PARAMS + 'MORE this->AICore().AddConfig("ascend910b"); } }; OP_ADD(Same); }\n')
TILING = """INCLUDES
#include "register/op_impl_registry.h"
namespace optiling {
struct SameCompileInfo {};
static ge::graphStatus Tiling(gert::TilingContext* c) { STATEMENTS c->SetBlockDim(1); c->GetWorkspaceSizes(1)[0] = 0; return ge::GRAPH_SUCCESS; }
IMPL_OP_OPTILING(Same).Tiling(Tiling)REGISTERED;
}
"""
INFER = """#include "register/op_impl_registry.h"
namespace ops {
static ge::graphStatus Infer(gert::InferShapeContext* c) { *c->GetOutputShape(0) = *c->GetInputShape(0); BODY return ge::GRAPH_SUCCESS; }
IMPL_OP_INFERSHAPE(Same).InferShape(Infer);
}
"""
KERNEL = """#include "kernel_operator.h"
INCLUDES
using namespace AscendC;
extern "C" __global__ __aicore__ void same(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR tiling) {
  TPipe p; TBuf<> b; p.InitBuffer(b, 256);
  LocalTensor<float> t = b.Get<float>();
  GlobalTensor<float> X, Y; X.SetGlobalBuffer((__gm__ float*)x); Y.SetGlobalBuffer((__gm__ float*)y);
  DataCopy(t, X, COUNT); PipeBarrier<PIPE_ALL>(); DataCopy(Y, t, COUNT);
}
"""
GLOBS = "file(GLOB INFER ${SOURCE_DIR}/*_infershape*.cpp)\nfile(GLOB TILING ${SOURCE_DIR}/*_tiling*.cpp)\n"


class Repositories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = pathlib.Path(fresh_cache(tempfile.mkdtemp(prefix="akgen_repositories_cache_")))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.cache, True)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_repositories_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.write("ops/CMakeLists.txt", "project(ops)\n" + GLOBS)
        self.write("ops/common/include/none.h", "#pragma once\n")
        self.operator()

    def write(self, name, text):
        (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / name).write_text(text)

    def operator(self, more="", includes="", statements="", registered="", kernel_includes="", count="64", body=""):
        host, kernel = "ops/math/same/op_host/same_", "ops/math/same/op_kernel/same.cpp"
        self.write(host + "def.cpp", DEFINITION.replace("MORE", more))
        self.write(host + "tiling.cpp", TILING.replace("INCLUDES", includes).replace("STATEMENTS", statements).replace("REGISTERED", registered))
        self.write(host + "infershape.cpp", INFER.replace("BODY", body))
        self.write(kernel, KERNEL.replace("INCLUDES", kernel_includes).replace("COUNT", count))

    def run_it(self, verdict="pass", text=""):
        done = subprocess.run([AKGEN, "run", self.dir / "ops/math/same", "--input", "x=f32[64]", "--json", "-"], capture_output=True, text=True,
                              env={**os.environ, "AKGEN_CACHE": str(self.cache)})
        said = json.loads(done.stdout)
        self.assertEqual(said["verdict"], verdict, said["reason"])
        self.assertIn(text, said["reason"])
        return said

    def test_folders_of_an_operators_options(self):
        self.operator(kernel_includes='#include "parts/lanes.hpp"', count="kLanes")
        self.write("ops/third_party/parts/include/parts/lanes.hpp", "#pragma once\nconstexpr uint32_t kLanes = 64;\n")
        self.run_it("build_error", "parts/lanes.hpp")
        self.write("ops/math/same/op_host/CMakeLists.txt", """set(PARTS "${CMAKE_SOURCE_DIR}/third_party/parts/include")
get_filename_component(PARTS_DIR ${PARTS} ABSOLUTE)
add_ops_compile_options(OP_NAME Same OPTIONS -I${PARTS_DIR})
""")
        self.run_it()

    def test_a_submodule_that_is_not_checked_out(self):
        self.operator(kernel_includes='#include "parts/lanes.hpp"', count="kLanes")
        self.write(".gitmodules", '[submodule "parts"]\n\tpath = ops/third_party/parts\n\turl = https://example.com/parts\n')
        self.run_it("build_error", "the submodule parts is not checked out")
        self.write("ops/third_party/parts/include/parts/lanes.hpp", "#pragma once\nconstexpr uint32_t kLanes = 64;\n")
        self.run_it()

    def test_a_source_that_no_build_file_compiles(self):
        self.write("ops/math/same/op_host/same_proto.cpp", "int broken = nobody_declared_this;\n")
        said = self.run_it()
        self.assertIn("no build file names it", json.dumps(said["rewrites"]))
        self.write("ops/math/same/op_host/CMakeLists.txt", "target_sources(op_host PRIVATE same_proto.cpp)\n")
        self.run_it("build_error", "nobody_declared_this")

    def test_headers_of_the_base_library_without_it(self):
        self.operator(includes='#include "log/log.h"\n#include "util/math_util.h"\n#include "util/shape_util.h"\n#include "util/platform_util.h"',
                      statements='OP_CHECK_NULL_WITH_CONTEXT(c, c->GetInputShape(0)); OP_CHECK_IF(Ops::Base::CeilDiv(7, 2) != 4, OP_LOGE(c, "%d", 1), return ge::GRAPH_FAILED); '
                                 'OP_CHECK_IF(Ops::Base::GetUbBlockSize(c) != 32 || Ops::Base::LastPow2(9) != 8, OP_LOGE_FOR_INVALID_VALUE(c, "n", 1, "2"), return ge::GRAPH_FAILED);')
        self.run_it()
        self.operator(includes='#include "log/log.h"', statements='OP_CHECK_IF(true, OP_LOGE(c->GetNodeName(), "refused %d", 7), return ge::GRAPH_FAILED);')
        self.run_it("runtime_error", "refused 7")

    def test_names_of_host_code(self):
        self.operator(body="if (c->GetDynamicInputDesc(0, 0) == nullptr || sizeof(half) != 2) return ge::GRAPH_FAILED;",
                      statements="if (!gert::TensorPlacementUtils::IsOnHost(gert::kOnHost)) return ge::GRAPH_FAILED; std::unordered_set<int> s; std::deque<int> d;",
                      registered=".TilingInputsDataDependency({0}, {gert::TilingPlacement::TILING_ON_HOST})")
        self.run_it()

    def test_collectives_are_told_in_one_line(self):
        self.operator(more='this->Attr("group").String(); this->MC2().HcclGroup("group");', includes='#include "hccl/nothing_of_the_kind.h"')
        self.run_it("unsupported", "communicates with other devices")

    def test_a_template_in_both_branches(self):
        self.write("ops/math/same/op_kernel/same_key.h", """#pragma once
#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(Same, ASCENDC_TPL_UINT_DECL(N, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, 64), ASCENDC_TPL_BOOL_DECL(FAST, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 64), ASCENDC_TPL_BOOL_SEL(FAST, 0, 1)), );
""")
        self.operator(includes='#include "../op_kernel/same_key.h"', statements="c->SetTilingKey(GET_TPL_TILING_KEY(64, 1));")
        kernel = KERNEL.replace("INCLUDES", '#include "same_key.h"').replace("COUNT", "N")
        self.write("ops/math/same/op_kernel/same.cpp", kernel.replace('extern "C" __global__', """#if (__CCE_AICORE__ == 220)
template <uint32_t N, bool FAST>
#else
template <uint32_t N>
#endif
__global__"""))
        self.run_it()

    def test_what_the_scalar_unit_counts(self):
        self.operator(count="64 + clz(1) - 63 + bcnt1(7) - 3 + sff1(8) - 3")
        self.run_it()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
