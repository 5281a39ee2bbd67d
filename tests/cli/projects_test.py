#!/usr/bin/env python3
"""Operator projects without a task, in a repository of operators and beside a base library: built, run, compared.

projects_test.py AKGEN REPO
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

sys.dont_write_bytecode = True
AKGEN, REPO = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()

# A repository of two operators and of a folder that both use, and the base library that its host code calls.
FILES = {
    "ops/CMakeLists.txt": "project(ops)\n",
    "ops/common/inc/op_host/rows.h": """#pragma once
#include "report/report.h"
namespace Rows { inline int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; } }
""",
    "ops/common/inc/op_kernel/lanes.h": "#pragma once\nconstexpr uint32_t kLanes = 64;\n",
    "ops/math/shared/op_kernel/scale.h": """#pragma once
#include "../inc/lanes.h"
template <typename T>
__aicore__ inline void Scale(const AscendC::LocalTensor<T>& y, const AscendC::LocalTensor<T>& x, T by, uint32_t count) {
  AscendC::Muls(y, x, by, (count + kLanes - 1) / kLanes * kLanes);
}
""",
    "ops/math/shared/op_host/shared_tiling.h": "#pragma once\n#include <cstdint>\nnamespace Shared { int64_t Blocks(int64_t elements, int64_t cores); }\n",
    "ops/math/shared/op_host/shared_tiling.cpp": """#include "shared_tiling.h"
#include "rows.h"
namespace Shared { int64_t Blocks(int64_t elements, int64_t cores) { return std::min(cores, Rows::Ceil(elements, 1024)); } }
""",
    "ops/math/scaled_copy/CMakeLists.txt": "add_modules_sources(OPTYPE scaled_copy ACLNNTYPE aclnn DEPENDENCIES shared COMPUTE_UNIT ascend910b)\n",
    "ops/math/scaled_copy/op_kernel/scaled_copy_key.h": """#pragma once
#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(ScaledCopy, ASCENDC_TPL_DATATYPE_DECL(T, C_DT_FLOAT, C_DT_FLOAT16, ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_UINT_DECL(TIMES, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 1, 2, 3, 7, 9),
                      ASCENDC_TPL_BOOL_DECL(NEGATE, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T, C_DT_FLOAT),
                                     ASCENDC_TPL_UINT_SEL(TIMES, ASCENDC_TPL_UI_LIST, 2, 7), ASCENDC_TPL_BOOL_SEL(NEGATE, 0, 1)),
                ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T, C_DT_FLOAT16),
                                     ASCENDC_TPL_UINT_SEL(TIMES, ASCENDC_TPL_UI_LIST, 7), ASCENDC_TPL_BOOL_SEL(NEGATE, 0)), );
""",
    "ops/math/scaled_copy/op_kernel/scaled_copy_data.h": "#pragma once\nstruct ScaledCopyData { int64_t elements; int64_t per_block; };\n",
    "ops/math/scaled_copy/op_kernel/scaled_copy_apt.cpp": "#include \"of_another_chip.h\"\n",
    "ops/math/scaled_copy/op_kernel/scaled_copy.cpp": """#include "kernel_operator.h"
#include "../shared/scale.h"
#include "scaled_copy_data.h"
#include "scaled_copy_key.h"
using namespace AscendC;
template <typename T, int TIMES, bool NEGATE>
__global__ __aicore__ void scaled_copy(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ScaledCopyData);
  GET_TILING_DATA_WITH_STRUCT(ScaledCopyData, data, tiling);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 1024 * sizeof(T));
  pipe.InitBuffer(out, 1, 1024 * sizeof(T));
  int64_t first = GetBlockIdx() * data.per_block, last = first + data.per_block < data.elements ? first + data.per_block : data.elements;
  GlobalTensor<T> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), data.elements);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), data.elements);
  for (int64_t at = first; at < last; at += 1024) {
    uint32_t count = last - at < 1024 ? last - at : 1024;
    DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    LocalTensor<T> a = in.AllocTensor<T>();
    Duplicate(a, T(0), 1024);
    event_t id = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_MTE2));
    SetFlag<HardEvent::V_MTE2>(id);
    WaitFlag<HardEvent::V_MTE2>(id);
    DataCopyPad(a, from[at], copy, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
    in.EnQue(a);
    a = in.DeQue<T>();
    LocalTensor<T> b = out.AllocTensor<T>();
    Scale(b, a, T(NEGATE ? -TIMES : TIMES), count);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<T>();
    DataCopyPad(to[at], b, copy);
    out.FreeTensor(b);
  }
}
""",
    "ops/math/scaled_copy/op_host/scaled_copy_def.cpp": """#include "register/op_def_registry.h"
namespace ops {
class ScaledCopy : public OpDef {
 public:
  explicit ScaledCopy(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("times").AttrType(OPTIONAL).Int(2);
    this->Attr("negate").AttrType(OPTIONAL).Bool(false);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ScaledCopy);
}
""",
    "ops/math/scaled_copy/op_host/scaled_copy_infershape.cpp": """#include "register/op_impl_registry.h"
static ge::graphStatus Infer(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(ScaledCopy).InferShape(Infer);
""",
    "ops/math/scaled_copy/op_host/arch35/scaled_copy_tiling_arch35.cpp": "#include \"of_another_chip.h\"\n",
    "ops/math/scaled_copy/op_host/arch22/scaled_copy_tiling.cpp": """#include "register/op_impl_registry.h"
#include "platform/platform_ascendc.h"
#include "op_common/report/report.h"
#include "shared_tiling.h"
#include "rows.h"
#include "../../op_kernel/scaled_copy_data.h"
#include "../../op_kernel/scaled_copy_key.h"
static ge::graphStatus Tiling(gert::TilingContext* context) {
  auto* data = context->GetTilingData<ScaledCopyData>();
  data->elements = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
  const char* debug = getenv("SCALED_COPY_DEBUG");
  if (debug != nullptr) return ge::GRAPH_FAILED;
  int64_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
  int64_t blocks = Shared::Blocks(data->elements, cores);
  data->per_block = Rows::Ceil(Rows::Ceil(data->elements, blocks), 32) * 32;
  context->SetBlockDim(Rows::Ceil(data->elements, data->per_block));
  context->GetWorkspaceSizes(1)[0] = 0;
  uint64_t dtype = context->GetInputDesc(0)->GetDataType(), times = *context->GetAttrs()->GetInt(0);
  bool negate = *context->GetAttrs()->GetBool(1);
  Base::Report(context->GetNodeType());
  ASCENDC_TPL_SEL_PARAM(context, dtype, times, negate);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(ScaledCopy).Tiling(Tiling);
""",
    "base/include/op_common/report/report.h": "#pragma once\nnamespace Base { void Report(const char* what); }\n",
    "base/src/op_common/log/report.cpp": """#include "op_common/report/report.h"
#include "base/err_msg.h"
namespace Base { void Report(const char* what) { DlogRecord(63, DLOG_WARN, "tiling of %s", what); } }
""",
    "base/src/op_common/log/broken.cpp": "#include \"nowhere.h\"\n",
}
REFERENCE = """def reference(x: Tensor, times: int, negate: bool) -> Tensor:
    return x * times * (-1 if negate else 1)
"""


class Projects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = pathlib.Path(fresh_cache(tempfile.mkdtemp(prefix="akgen_projects_cache_")))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.cache, True)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="akgen_projects_"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        for name, text in FILES.items():
            self.write(name, text)
        self.project, self.base = self.dir / "ops/math/scaled_copy", self.dir / "base"

    def write(self, name, text):
        (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / name).write_text(text)
        return self.dir / name

    def akgen(self, *args, code=0):
        done = subprocess.run([AKGEN, *map(str, args)], capture_output=True, text=True, env={**os.environ, "AKGEN_CACHE": str(self.cache), "SCALED_COPY_DEBUG": "1"})
        self.assertEqual(done.returncode, code, f"{args}: {done.stdout}{done.stderr}")
        return done

    def run_it(self, *args, code=0):
        return json.loads(self.akgen("run", self.project, "--with-sources", self.base, "--json", "-", *args, code=code).stdout)

    def test_a_project_of_a_repository_runs_without_a_task(self):
        (self.dir / "x.bin").write_bytes(struct.pack("<5f", 1, 2, 3, 4, 5))
        said = self.run_it("--input", f"x=f32[5]@{self.dir / 'x.bin'}", "--attr", "times=7", "--attr", "negate=true", "--save", self.dir / "out")
        self.assertEqual(said["verdict"], "pass")
        self.assertEqual(struct.unpack("<5f", (self.dir / "out/0/out.y.bin").read_bytes()), (-7, -14, -21, -28, -35))

    def test_the_template_is_that_of_the_key(self):
        keys = {self.run_it("--input", f"x={dtype}[70,100]", "--attr", f"times={times}", "--output", f"y={dtype}[70,100]")["cases"][0]["tiling_key"]
                for dtype, times in (("f32", 2), ("f32", 7), ("f16", 7))}
        self.assertEqual(len(keys), 3)
        self.assertIn("no combination", self.run_it("--input", "x=f16[64]", "--attr", "times=2", code=1)["reason"])

    def test_values_are_compared_with_a_reference(self):
        (self.dir / "right.py").write_text(REFERENCE)
        (self.dir / "wrong.py").write_text(REFERENCE.replace("x * times", "x + times"))
        words = ["--input", "x=f32[33,7]~uniform(-1,1)", "--attr", "times=2", "--attr", "negate=false"]
        self.assertEqual(self.run_it(*words, "--reference", self.dir / "right.py")["cases"][0]["outputs"][0]["mismatches"], 0)
        self.assertEqual(self.run_it(*words, "--reference", self.dir / "wrong.py", code=1)["verdict"], "wrong_answer")

    def test_values_are_compared_with_another_project(self):
        other = self.dir / "ops/math/other"
        shutil.copytree(self.project, other)
        self.assertEqual(self.run_it("--input", "x=f32[64]", "--against", other)["verdict"], "pass")
        kernel = other / "op_kernel/scaled_copy.cpp"
        kernel.write_text(kernel.read_text().replace("-TIMES : TIMES", "-TIMES : TIMES + 1"))
        self.assertEqual(self.run_it("--input", "x=f32[64]", "--against", other, code=1)["verdict"], "wrong_answer")

    def test_another_project_that_gives_nothing(self):
        other = self.dir / "ops/math/other"
        shutil.copytree(self.project, other)
        (other / "op_kernel/scaled_copy.cpp").write_text("#error none\n")
        self.assertIn("AK0404", self.run_it("--input", "x=f32[64]", "--against", other, code=3)["reason"])

    def test_cases_of_a_file(self):
        self.write("cases.toml", '[[case]]\nid = "small"\ninputs.x = "f32[64]"\n[[case]]\nid = "seven"\ninputs.x = "f16[2,3]"\nattrs.times = 7\n')
        said = self.run_it("--cases", self.dir / "cases.toml")
        self.assertEqual([(c["id"], c["verdict"]) for c in said["cases"]], [("small", "pass"), ("seven", "pass")])

    def test_an_operator_whose_tiling_is_its_neighbours(self):
        def of(name):
            return (self.project / name).read_text().replace("ScaledCopy(", "SameCopy(").replace("scaled_copy(", "same_copy(").replace("class ScaledCopy", "class SameCopy")
        self.write("ops/math/same_copy/op_host/same_copy_def.cpp", of("op_host/scaled_copy_def.cpp").replace("OP_ADD(ScaledCopy", "OP_ADD(SameCopy"))
        kernel = of("op_kernel/scaled_copy.cpp")
        for header in ("scaled_copy_data.h", "scaled_copy_key.h"):
            kernel = kernel.replace(f'"{header}"', f'"../scaled_copy/{header}"')
        self.write("ops/math/same_copy/op_kernel/same_copy.cpp", kernel)
        self.write("ops/math/same_copy/CMakeLists.txt", "add_modules_sources(OPTYPE same_copy ACLNNTYPE aclnn DEPENDENCIES scaled_copy shared)\n")
        tiling = self.project / "op_host/arch22/scaled_copy_tiling.cpp"
        tiling.write_text(tiling.read_text() + "IMPL_OP_OPTILING(SameCopy).Tiling(Tiling);\n")
        project, self.project = self.project, self.dir / "ops/math/same_copy"
        said = self.run_it("--input", "x=f32[70]", "--output", "y=f32[70]", "--against", project)
        self.assertEqual(said["verdict"], "pass", said["reason"])
        self.write("ops/math/scaled_copy/op_host/arch22/more_tiling.cpp", "#include <unistd.h>\nint Number() { return getpid(); }\n")
        said = self.run_it("--input", "x=f32[70]", code=1)
        self.assertEqual(said["verdict"], "rejected", "what a neighbour registers for it counts as its own")
        self.assertIn("getpid", said["reason"])
        self.write("ops/math/scaled_copy/op_host/arch22/more_tiling.cpp", "int Number() { return none; }\n")
        said = self.run_it("--input", "x=f32[70]", code=1)
        self.assertEqual(said["verdict"], "build_error")
        self.assertIn("none", said["reason"])

    def test_operators_share_the_libraries_they_are_linked_with(self):
        def built():
            self.akgen("doctor", self.project, "--with-sources", self.base)
            return {f for f in self.cache.rglob("*.so") if f.read_bytes().startswith(b"!<arch>")}
        before = built()
        self.assertTrue(before)
        shutil.copytree(self.project, self.dir / "ops/nn/scaled_copy")
        self.project = self.dir / "ops/nn/scaled_copy"
        tiling = self.project / "op_host/arch22/scaled_copy_tiling.cpp"
        tiling.write_text(tiling.read_text() + "// of another category\n")
        self.assertEqual(built(), before)

    def test_a_source_for_another_chip_is_compiled_when_it_is_called(self):
        tiling = self.project / "op_host/arch22/scaled_copy_tiling.cpp"
        tiling.write_text(tiling.read_text().replace("static ge::graphStatus Tiling(", "namespace Elsewhere { int64_t Blocks(int64_t n); }\nstatic ge::graphStatus Tiling(")
                          .replace("int64_t blocks = Shared::", "int64_t blocks = data->elements == 7 ? Elsewhere::Blocks(7) : Shared::"))
        elsewhere = "ops/math/scaled_copy/op_host/arch35/scaled_copy_tiling_arch35.cpp"
        self.write(elsewhere, "#include <cstdint>\nnamespace Elsewhere { int64_t Blocks(int64_t n) { return n; } }\n")

        def libraries():
            return {f for f in self.cache.rglob("*.so") if f.read_bytes().startswith(b"!<arch>")}
        self.akgen("doctor", self.project, "--with-sources", self.base)
        before = libraries()
        self.assertEqual(self.run_it("--input", "x=f32[70]")["cases"][0]["block_dim"], 1)
        self.assertEqual(libraries(), before)
        self.write("both.toml", '[[case]]\ninputs.x = "f32[70]"\n[[case]]\ninputs.x = "f32[7]"\n[[case]]\ninputs.x = "f32[70]"\n')
        said = self.run_it("--cases", self.dir / "both.toml")
        self.assertEqual([(c["verdict"], c["block_dim"]) for c in said["cases"]], [("pass", 1), ("pass", 1), ("pass", 1)])
        self.assertEqual(len(libraries() - before), 1)
        self.write(elsewhere, "#include \"of_another_chip.h\"\nnamespace Elsewhere { int64_t Blocks(int64_t n) { return n; } }\n")
        self.assertEqual(self.run_it("--input", "x=f32[70]")["verdict"], "pass")
        said = self.run_it("--input", "x=f32[7]", code=1)
        self.assertIn("it calls what does not build", said["reason"])
        self.write(elsewhere, "// nothing\n")
        (self.base / "src/op_common/log/broken.cpp").unlink()
        said = self.run_it("--input", "x=f32[70]", code=1)
        self.assertEqual(said["verdict"], "build_error")
        self.assertIn("Elsewhere::Blocks", said["reason"])

    def test_an_input_that_the_kernel_writes_to_is_an_output_where_it_is_named_so(self):
        kernel = self.project / "op_kernel/scaled_copy.cpp"
        kernel.write_text(kernel.read_text().replace("    DataCopyPad(to[at], b, copy);\n", "    DataCopyPad(to[at], b, copy);\n    DataCopyPad(from[at], b, copy);\n"))
        self.assertIn("AK1006", self.run_it("--input", "x=f32[70]", code=1)["reason"])
        for returned, verdict in (("r, r", "pass"), ("r, x", "wrong_answer")):
            self.write("both.py", REFERENCE.replace("-> Tensor", "-> Tuple[Tensor, Tensor]").replace("return x", "r = x") + f"    return {returned}\n")
            said = self.run_it("--input", "x=f32[70]", "--output", "x=f32[70]", "--attr", "times=2", "--attr", "negate=true", "--reference", self.dir / "both.py",
                               code=verdict != "pass")
            self.assertEqual(said["verdict"], verdict, said["reason"])

    def test_an_output_that_the_caller_clears_may_be_added_to(self):
        kernel = self.project / "op_kernel/scaled_copy.cpp"
        kernel.write_text(kernel.read_text().replace("    DataCopyPad(to[at], b, copy);\n", "    SetAtomicAdd<T>();\n    DataCopyPad(to[at], b, copy);\n    SetAtomicNone();\n"))
        self.assertIn("AK1102", self.run_it("--input", "x=f32[70]", code=1)["reason"])
        self.assertEqual(self.run_it("--input", "x=f32[70]", "--output", "y=f32[70]~constant(0)")["verdict"], "pass")

    def test_a_structure_that_host_and_kernel_both_define(self):
        """By the macros of the toolkit there, as a plain structure here, whose parameters have attributes too."""
        tiling = self.project / "op_host/arch22/scaled_copy_tiling.cpp"
        text = tiling.read_text().replace('#include "../../op_kernel/scaled_copy_data.h"\n', """#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(ScaledCopyData)
TILING_DATA_FIELD_DEF(int64_t, elements);
TILING_DATA_FIELD_DEF(int64_t, per_block);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaledCopy, ScaledCopyData)
}
struct Plain { int64_t elements, per_block; };
""").replace("auto* data = context->GetTilingData<ScaledCopyData>();", "Plain plain, *data = &plain;")
        text = text.replace("  ASCENDC_TPL_SEL_PARAM(", """  optiling::ScaledCopyData out;
  out.set_elements(data->elements);
  out.set_per_block(data->per_block);
  out.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(out.GetDataSize());
  ASCENDC_TPL_SEL_PARAM(""", 1)
        self.assertIn("SaveToBuffer", text)
        tiling.write_text(text)
        kernel = self.project / "op_kernel/scaled_copy.cpp"
        kernel.write_text(kernel.read_text().replace("GM_ADDR workspace, GM_ADDR tiling) {", "[[maybe_unused]] GM_ADDR workspace, GM_ADDR tiling) {"))
        self.assertIn("maybe_unused", kernel.read_text())
        self.assertEqual(self.run_it("--input", "x=f32[70]")["verdict"], "pass")

    def test_a_kernel_that_includes_a_header_of_the_host(self):
        data = self.project / "op_kernel/scaled_copy_data.h"
        data.write_text(data.read_text().replace("#pragma once\n", '#pragma once\n#include "tiling/tiling_api.h"\n'))
        self.assertIn("tiling_api", data.read_text())
        self.assertEqual(self.run_it("--input", "x=f32[70]")["verdict"], "pass")

    def test_what_is_compiled_is_the_kernels_matter(self):
        """A list of combinations that asks for a kernel's data type, which host code does not know; and one that leaves the key out."""
        key = self.project / "op_kernel/scaled_copy_key.h"
        text = key.read_text()
        key.write_text(text.replace("ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(", "ASCENDC_TPL_SEL(\n#if defined(ORIG_DTYPE_X) && ORIG_DTYPE_X == DT_FLOAT\nASCENDC_TPL_ARGS_SEL(", 1)
                       .replace("ASCENDC_TPL_SEL(NEGATE, 0, 1)),\n                ASCENDC_TPL_ARGS_SEL(", "ASCENDC_TPL_SEL(NEGATE, 0, 1)),\n#endif\nASCENDC_TPL_ARGS_SEL(", 1)
                       .replace("ASCENDC_TPL_BOOL_SEL(NEGATE, 0, 1)),", "ASCENDC_TPL_BOOL_SEL(NEGATE, 0, 1)),\n#endif\n", 1))
        self.assertIn("#endif", key.read_text())
        self.assertEqual(self.run_it("--input", "x=f32[70]")["verdict"], "pass")
        key.write_text(text.replace("ASCENDC_TPL_UI_LIST, 2, 7", "ASCENDC_TPL_UI_LIST, 9"))
        said = self.run_it("--input", "x=f32[70]", code=1)
        self.assertEqual(said["verdict"], "build_error", said["reason"])
        self.assertIn("no combination of ASCENDC_TPL_SEL", said["reason"])

    def test_what_a_tiling_function_logged_is_in_the_reason(self):
        tiling = self.project / "op_host/arch22/scaled_copy_tiling.cpp"
        tiling.write_text(tiling.read_text().replace("  ASCENDC_TPL_SEL_PARAM(context, dtype, times, negate);\n  return ge::GRAPH_SUCCESS", "  return ge::GRAPH_FAILED"))
        self.assertRegex(self.run_it("--input", "x=f32[70]", code=1)["reason"], "it logged: .*tiling of ScaledCopy")

    def test_what_is_wrong_with_a_case_is_said(self):
        for words, reason in ((["--input", "x=f32"], "no DTYPE[SHAPE]"), (["--input", "z=f32[4]"], "no input 'z'"),
                              (["--input", "x=f32[4]~odd(1)"], "no distribution"), ([], "required input 'x'"),
                              (["--input", "x=f32[4]", "--attr", "size=3"], "no attribute 'size'")):
            said = self.run_it(*words, code=1)
            self.assertIn("AK0403", said["reason"])
            self.assertIn(reason, said["reason"])

    def blocks(self):
        """An operator that widens int4 in blocks: its host half sees the shape, its kernel the blocks."""
        self.project = self.dir / "ops/math/widen"
        self.write("ops/math/widen/op_kernel/widen.cpp", """#include "kernel_operator.h"
using namespace AscendC;
#if FORMAT_X != FORMAT_FRACTAL_NZ || FORMAT_Y != FORMAT_ND || ORIG_DTYPE_X != DT_INT4
#error the format and the dtype
#endif
extern "C" __global__ __aicore__ void widen(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 1024);
  pipe.InitBuffer(out, 1, 4096);
  GlobalTensor<DTYPE_X> from;
  GlobalTensor<half> to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X*>(x), 2048);
  to.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), 2048);
  LocalTensor<DTYPE_X> a = in.AllocTensor<DTYPE_X>();
  DataCopy(a, from, 2048);
  in.EnQue(a);
  a = in.DeQue<DTYPE_X>();
  LocalTensor<half> b = out.AllocTensor<half>();
  Cast(b, a, RoundMode::CAST_NONE, 2048);
  in.FreeTensor(a);
  out.EnQue(b);
  b = out.DeQue<half>();
  DataCopy(to, b, 2048);
  out.FreeTensor(b);
}
""")
        self.write("ops/math/widen/op_host/widen_def.cpp", """#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::StorageShape* x = context->GetInputShape(0);
  auto* described = context->GetInputDesc(0);
  bool right = x->GetOriginShape() == gert::Shape({30, 64}) && x->GetStorageShape() == gert::Shape({1, 2, 16, 64}) && described->GetDataType() == ge::DT_INT4 &&
               described->GetStorageFormat() == ge::FORMAT_FRACTAL_NZ && described->GetOriginFormat() == ge::FORMAT_ND;
  context->SetBlockDim(1);
  context->GetWorkspaceSizes(1)[0] = 0;
  return right ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
IMPL_OP_OPTILING(Widen).Tiling(Tiling);
namespace ops {
class Widen : public OpDef {
 public:
  explicit Widen(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT4}).Format({ge::FORMAT_FRACTAL_NZ});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Widen);
}
""")
        self.write("widen.py", """def reference(x: Tensor) -> Tensor:
    high = torch.floor(x.double() / 16)
    low = x.double() - 16 * high
    return torch.stack([low - 16 * (low > 7), high], -1).flatten(-2)
""")
        return ["--input", "x=i4[1,2,16,64] as FRACTAL_NZ of ND[30,64]", "--output", "y=f16[1,2,16,64]", "--reference", self.dir / "widen.py"]

    def test_int4_and_a_format_of_blocks(self):
        said = self.run_it(*self.blocks())
        self.assertEqual((said["verdict"], said["cases"][0]["outputs"][0]["mismatches"]), ("pass", 0), said["reason"])

    def test_what_a_case_cannot_say_of_formats(self):
        words = self.blocks()
        for x, reason in (("i4[1,2,16,63] as FRACTAL_NZ of ND[30,63]", "odd last dimension"), ("i4[1,2,16,64] as NCHWD of ND[30,64]", "no format: NCHWD"),
                          ("i4[1,2,16,64] as FRACTAL_NZ of NCHW[30,64]", "a letter for each dimension"), ("i4[1,2,16,64] as FRACTAL_NZ[30,64]", "no FORMAT of ORIGIN[SHAPE]")):
            said = self.run_it("--input", f"x={x}", *words[2:], code=1)
            self.assertIn("AK0403", said["reason"])
            self.assertIn(reason, said["reason"])

    def test_a_neighbour_that_is_not_there_is_missed(self):
        shutil.rmtree(self.dir / "ops/math/shared")
        self.assertIn("shared_tiling.h", self.run_it("--input", "x=f32[4]", code=1)["reason"])

    def test_common_headers_may_lie_below_include(self):
        shutil.move(self.dir / "ops/common/inc", self.dir / "ops/common/include")
        self.write("ops/common/include/rows.h", (self.dir / "ops/common/include/op_host/rows.h").read_text())
        self.write("ops/math/shared/op_kernel/scale.h", FILES["ops/math/shared/op_kernel/scale.h"].replace("../inc/lanes.h", "op_kernel/lanes.h"))
        self.assertEqual(self.run_it("--input", "x=f32[40]")["verdict"], "pass")

    def test_a_header_outside_of_the_folder_needs_the_repository(self):
        kernel = self.project / "op_kernel/scaled_copy.cpp"
        kernel.write_text('#include "../../beside/what.h"\n' + kernel.read_text())
        self.assertRegex(self.run_it("--input", "x=f32[4]", code=1)["reason"], r"what.h' file not found .*--repository FOLDER")
        self.write("ops/math/beside/what.h", "#pragma once\n")
        self.assertEqual(self.run_it("--input", "x=f32[40]")["verdict"], "pass")
        kernel.write_text(kernel.read_text().replace("../../beside/what.h", "beside.h"))
        self.assertNotIn("--repository", self.run_it("--input", "x=f32[4]", code=1)["reason"])

    def test_without_its_repository_a_project_sees_nothing_beside_it(self):
        said = self.run_it("--input", "x=f32[4]", "--repository", "none", code=1)
        self.assertRegex(said["reason"], "shared_tiling.h|rows.h")

    def test_an_undefined_symbol_is_named(self):
        (self.base / "src/op_common/log/report.cpp").unlink()
        self.write("base/src/op_common/log/nothing.cpp", "namespace Base { int nothing; }\n")
        self.assertIn("Base::Report(char const*)", self.run_it("--input", "x=f32[4]", code=1)["reason"])

    def test_a_task_out_of_a_definition(self):
        folder = self.dir / "tasks/ScaledCopy"
        words = ["tasks", "new", self.project, "--with-sources", self.base, "--out", folder]
        self.akgen(*words)
        self.assertIn("AK0002", self.akgen(*words, code=2).stderr)
        (folder / "reference.py").write_text(REFERENCE)
        cases = json.loads((folder / "cases.json").read_text())
        self.assertEqual([(c["dtype_x"], c["shape"]) for c in cases],
                         [("float32", [64, 256]), ("float32", [37, 123]), ("float16", [64, 256]), ("float16", [37, 123])])
        for c in cases:
            c["times"] = 7
        (folder / "cases.json").write_text(json.dumps(cases))
        said = json.loads(self.akgen("judge", self.project, "--task", folder, "--with-sources", self.base, "--repository", self.dir / "ops",
                                     "--json", "-").stdout)
        self.assertEqual((said["verdict"], len(said["cases"])), ("pass", 4), said["reason"])

    def test_a_task_needs_a_definition(self):
        (self.project / "op_host/scaled_copy_def.cpp").write_text("#error none\n")
        self.assertIn("AK0405", self.akgen("tasks", "new", self.project, "--with-sources", self.base, "--out", self.dir / "none", code=2).stderr)

    def test_a_finding_is_explained_beside_its_sources(self):
        self.edit("op_kernel/scaled_copy.cpp", ("    in.EnQue(a);\n    a = in.DeQue<T>();\n", ""))
        record = self.dir / "record.json"
        self.akgen("run", self.project, "--with-sources", self.base, "--input", "x=f32[64]", "--json", record, code=1)
        said = self.akgen("explain", record).stdout
        self.assertRegex(said, r"AK1201")
        self.assertRegex(said, r">\s+\d+ \|.*Muls\(y, x, by")
        self.assertRegex(said, r">\s+\d+ \|.*DataCopyPad\(a, from\[at\]")
        self.assertRegex(said, r"a is of in \(AllocTensor, line \d+\)")
        self.assertRegex(said, r"missing: PIPE_MTE2 \(line \d+\) before PIPE_V \(line \d+\)")
        self.assertRegex(said, r"SetFlag<HardEvent::MTE2_V>")
        self.assertIn("no findings", self.akgen("explain", self.write("clean.json", '{"verdict": "pass", "cases": []}')).stdout)
        for other in ('{"cases": 5}', '{"cases": [{"findings": [7]}]}', '{"project": []}', '[]', '{'):
            self.assertIn("AK0014", self.akgen("explain", self.write("other.json", other), code=2).stderr)

    def edit(self, name, *pairs):
        text = (self.project / name).read_text()
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (self.project / name).write_text(text)

    def test_what_only_another_chip_needs_may_be_missing(self):
        self.edit("op_host/arch22/scaled_copy_tiling.cpp", ("static ge::graphStatus Tiling", "ge::graphStatus OfAnotherChip(gert::TilingContext*);\nstatic ge::graphStatus Tiling"),
                  ("if (debug != nullptr)", "if (data->elements == 7) return OfAnotherChip(context);\n  if (debug != nullptr)"))
        self.assertEqual(self.run_it("--input", "x=f32[64]")["verdict"], "pass")
        said = self.run_it("--input", "x=f32[7]", code=1)
        self.assertEqual(said["verdict"], "build_error")
        self.assertRegex(said["reason"], r"OfAnotherChip.*of_another_chip\.h")

    def test_arrays_of_variable_length_are_initialised(self):
        self.edit("op_host/arch22/scaled_copy_tiling.cpp", ("  const char* debug", "  int64_t n = 3, dims[n] = {n, 4}, more[n + 1] = {};\n"
                  "  if (dims[0] != 3 || dims[1] != 4 || dims[2] != 0 || more[3] != 0) return ge::GRAPH_FAILED;\n  const char* debug"))
        self.edit("op_host/arch22/scaled_copy_tiling.cpp", ("int64_t n = 3, dims[n] = {n, 4}, more", "int64_t n = 3;\n  int64_t dims[n] = {n, 4};\n  int64_t more"))
        said = self.run_it("--input", "x=f32[64]")
        self.assertEqual(said["verdict"], "pass")
        self.assertTrue([w for w in said["rewrites"] if "variable length" in w["what"] and w["line"] > 0], said["rewrites"])

    def test_narrow_numbers_of_host_code_and_the_older_platform_interface(self):
        self.edit("op_host/arch22/scaled_copy_tiling.cpp", ("  const char* debug", "  fe::PlatformInfo chip;\n  fe::OptionalInfo optional;\n"
                  "  int32_t pair[2] = {data->elements, 1};\n"
                  "  if (fe::PlatformInfoManager::Instance().GetPlatformInfoWithOutSocVersion(chip, optional) != 0 || pair[0] == 0 ||\n"
                  "      chip.str_info.short_soc_version != \"Ascend910B\") return ge::GRAPH_NULL_PTR;\n  const char* debug"),
                  ('#include "platform/', '#include "platform/platform_info.h"\n#include "platform/'))
        self.assertEqual(self.run_it("--input", "x=f32[64]")["verdict"], "pass")

    def test_std_of_the_kernel_language(self):
        self.edit("op_kernel/scaled_copy.cpp", ("last - at < 1024 ? last - at : 1024", "AscendC::Std::min(last - at, int64_t{1024})"),
                  ("  TPipe pipe;", "  auto pair = Std::make_tuple(1, 2.5f);\n  static_assert(Std::is_same_v<Std::tuple_element_t<1, decltype(pair)>, float>);\n"
                   "  if (Std::get<0>(pair) != Std::max(0, 1)) return;\n  TPipe pipe;"))
        self.write("right.py", REFERENCE)
        self.assertEqual(self.run_it("--input", "x=f32[2050]", "--attr", "times=2", "--attr", "negate=false", "--reference", self.dir / "right.py")["verdict"], "pass")

    def test_an_entry_in_a_header(self):
        text = (self.project / "op_kernel/scaled_copy.cpp").read_text()
        at = text.index("template <typename T, int TIMES")
        self.write("ops/math/scaled_copy/op_kernel/entry.h", text[at:].replace("template <typename T, int TIMES, bool NEGATE>\n__global__", 'extern "C" __global__')
                   .replace("  TPipe pipe;", "  using T = DTYPE_X;\n  constexpr int TIMES = 2;\n  constexpr bool NEGATE = false;\n  TPipe pipe;"))
        (self.project / "op_kernel/scaled_copy.cpp").write_text(text[:at] + '#include "entry.h"\n')
        self.write("right.py", REFERENCE)
        self.assertEqual(self.run_it("--input", "x=f16[70]", "--output", "y=f16[70]", "--attr", "times=7", "--attr", "negate=false",
                                     "--reference", self.dir / "right.py", code=1)["verdict"], "wrong_answer")  # it has 2 in it
        self.assertEqual(self.run_it("--input", "x=f32[70]", "--attr", "times=2", "--attr", "negate=false", "--reference", self.dir / "right.py")["verdict"], "pass")

    def test_what_the_toolkit_has_and_akgen_lacks_is_listed(self):
        self.assertIn("builds", self.akgen("doctor", self.project, "--with-sources", self.base).stdout)
        kernel = self.project / "op_kernel/scaled_copy.cpp"
        kernel.write_text(kernel.read_text().replace('#include "../shared', '#include "simt_api/asc_simt.h"\n#include "../shared'))
        said = json.loads(self.akgen("doctor", self.project, "--with-sources", self.base, "--json", "-", code=1).stdout)
        self.assertEqual((said["verdict"], said["lacking"]), ("unsupported", ["simt_api/asc_simt.h"]))

    def test_the_definition_is_held_against_kernel_and_chip(self):
        """As `judge` does: what the toolkit would not build for this chip, or would route elsewhere."""
        for code, file, old, new in (("AK3014", "op_host", '.AddConfig("ascend910b")', ""), ("AK3015", "op_kernel", "void fast_gelu(", "void fast_gelu_of_mine("),
                                     ("AK3011", "op_host", ".DataType({ge::DT_FLOAT, ge::DT_FLOAT16})", ".DataType({ge::DT_FLOAT})")):
            folder = self.dir / code
            shutil.copytree(REPO / "examples/kernels/fast_gelu", folder)
            source = next((folder / file).glob("*.cpp"))
            self.assertIn(old, source.read_text())
            source.write_text(source.read_text().replace(old, new, 1))
            said = json.loads(self.akgen("run", folder, "--json", "-", "--input", "x=f32[4096]", "--output", "y=f32[4096]", code=1).stdout)
            self.assertIn(code, [f["code"] for f in said["cases"][0]["findings"]], said["cases"][0])

    def test_a_sweep_counts(self):
        out = self.dir / "sweep.json"
        done = subprocess.run([sys.executable, REPO / "lab/run_upstream", "cann-ops", self.dir / "ops", "--opbase", self.base, "--json", out,
                               "--akgen", AKGEN], capture_output=True, text=True, env={**os.environ, "AKGEN_CACHE": str(self.cache)})
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(out.read_text())
        self.assertEqual([said[k] for k in ("operators", "vector", "built", "clean", "findings", "build_error")], [1, 1, 1, 1, 0, 0], said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
