"""What belongs to a kernel beside its sources: shape inference, build files, msopgen's description, a binding for PyTorch with its test, a README."""
from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .examples import DTYPES
from .program import Output
from .shapes import Size

GE = {"float32": "DT_FLOAT", "float16": "DT_FLOAT16", "bfloat16": "DT_BF16", "int8": "DT_INT8", "uint8": "DT_UINT8", "int16": "DT_INT16", "int32": "DT_INT32",
      "int64": "DT_INT64", "bool": "DT_BOOL"}
SCALARS = {"float": ("float", "double"), "int": ("int", "int64_t"), "bool": ("bool", "bool"), "str": ("str", "c10::string_view")}
TORCH = {"float32": "kFloat", "float16": "kHalf", "bfloat16": "kBFloat16", "int8": "kChar", "uint8": "kByte", "int16": "kShort", "int32": "kInt", "int64": "kLong",
         "bool": "kBool"}


KEYWORDS = set("alignas alignof asm auto bool break case catch char class const constexpr continue decltype default delete do double else enum explicit export extern "
               "false float for friend goto if inline int long mutable namespace new operator private protected public register requires return short signed sizeof "
               "static struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile while results command".split())


@dataclass
class Tensor:
    name: str
    dtype: str
    shape: Tuple[int, ...]
    low: Optional[float] = None
    high: Optional[float] = None
    state: bool = False  # of a module, or held by the function: then with its values
    values: Optional[List[Any]] = None


@dataclass
class Described:
    """`operator` in camel case, `entry` in snake case; `source`: the user's file, `function` what it is called there."""
    operator: str
    entry: str
    function: str
    source: str
    module: bool
    inputs: List[Tensor]
    scalars: List[Tuple[str, str, Any]]  # name, type, value in the first example
    order: List[str]  # parameters of the function
    defaults: Dict[str, Any]  # its Python values in the first example
    outputs: List[Output]
    names: Dict[Any, str]  # of dtypes
    shapes: List[Optional[List[Size]]]
    changed: Dict[str, str] = field(default_factory=dict)  # inputs that the function changes, and the outputs that are their new values
    appended: List[str] = field(default_factory=list)  # those of them that it does not return: the last outputs


def cpp_name(name: str) -> str:
    return name + "_" if name in KEYWORDS else name


def infer_cpp(d: Described) -> str:
    """Shape and data type of the outputs, where every dimension is known."""
    place = {t.name: i for i, t in enumerate(d.inputs)}
    lines = [f"// Shapes and data types of what {d.entry} gives.", '#include "register/op_impl_registry.h"', "", "namespace {",
             "// -1: not known yet.", "int64_t Extent(const gert::InferShapeContext *context, size_t input, size_t dim, bool &known) {",
             "  const int64_t n = context->GetInputShape(input)->GetDim(dim);", "  known = known && n >= 0;", "  return n;", "}", "",
             "ge::graphStatus InferShape(gert::InferShapeContext *context) {"]
    for t in d.inputs:
        i = place[t.name]
        lines += [f"  if (context->GetInputShape({i}) == nullptr || context->GetInputShape({i})->GetDimNum() != {len(t.shape)}) {{",
                  "    return ge::GRAPH_FAILED;", "  }"]
    for o, dims in enumerate(d.shapes):
        assert dims is not None
        lines += ["  {", f"    gert::Shape *y = context->GetOutputShape({o});", f"    y->SetDimNum({len(dims)});"]
        for i, size in enumerate(dims):
            said = size.written(lambda n, k: f"Extent(context, {place[n]}, {k}, known)")
            if said.lstrip("-").isdigit():
                lines.append(f"    y->SetDim({i}, {said});")
            else:
                lines += ["    {", "      bool known = true;", f"      const int64_t n = {said};".replace(" // ", " / "), f"      y->SetDim({i}, known ? n : -1);", "    }"]
        lines.append("  }")
    lines += ["  return ge::GRAPH_SUCCESS;", "}", "", "ge::graphStatus InferDataType(gert::InferDataTypeContext *context) {"]
    lines += [f"  context->SetOutputDataType({i}, ge::{GE[d.names[o.dtype]]});" for i, o in enumerate(d.outputs)]
    lines += ["  return ge::GRAPH_SUCCESS;", "}", "", f"IMPL_OP_INFERSHAPE({d.operator}).InferShape(InferShape).InferDataType(InferDataType);", "}  // namespace"]
    return "\n".join(lines) + "\n"


def msopgen(d: Described) -> str:
    def tensor(name: str, dtype: str) -> Dict[str, Any]:
        return {"name": name, "param_type": "required", "format": ["ND"], "type": ["float" if dtype == "float32" else dtype]}
    attrs = [{"name": n, "param_type": "required", "type": "string" if t == "str" else t} for n, t, _ in d.scalars]
    one: Dict[str, Any] = {"op": d.operator, "language": "cpp", "input_desc": [tensor(t.name, t.dtype) for t in d.inputs],
                           "output_desc": [tensor(o.name, d.names[o.dtype]) for o in d.outputs]}
    if attrs:
        one["attr"] = attrs
    return json.dumps([one], indent=2) + "\n"


def cmake(d: Described) -> str:
    return f"""# Builds and packs the operator with the CANN toolkit: source its set_env.sh first.
cmake_minimum_required(VERSION 3.16)
project({d.entry} CXX)
set(SOC ascend910b CACHE STRING "chips that kernels are compiled for")
find_package(ASC REQUIRED)

npu_op_package({d.entry}_package TYPE RUN CONFIG ENABLE_SOURCE_PACKAGE True ENABLE_BINARY_PACKAGE True)
add_subdirectory(op_host)
add_subdirectory(op_kernel)
npu_op_package_add({d.entry}_package LIBRARY cust_opapi cust_proto cust_optiling ascendc_kernels)
"""


def cmake_host(d: Described) -> str:
    return f"""file(GLOB HOST_SOURCES ${{CMAKE_CURRENT_SOURCE_DIR}}/*.cpp)
set(GENERATED ${{CMAKE_BINARY_DIR}}/generated)
npu_op_code_gen(SRC ${{HOST_SOURCES}} PACKAGE {d.entry}_package OUT_DIR ${{GENERATED}})
file(GLOB ACLNN_SOURCES ${{GENERATED}}/aclnn_*.cpp)
npu_op_library(cust_opapi ACLNN ${{ACLNN_SOURCES}})
npu_op_library(cust_proto GRAPH ${{HOST_SOURCES}} ${{GENERATED}}/op_proto.cc)
npu_op_library(cust_optiling TILING ${{HOST_SOURCES}})
"""


def cmake_kernel(d: Described) -> str:
    return f"""npu_op_kernel_library(ascendc_kernels SRC_BASE ${{CMAKE_CURRENT_SOURCE_DIR}} TILING_LIBRARY cust_optiling)
npu_op_kernel_sources(ascendc_kernels OP_TYPE {d.operator} KERNEL_FILE {d.entry}.cpp COMPUTE_UNIT ${{SOC}})
"""


def schema(d: Described) -> str:
    told = [f"Tensor {t.name}" for t in d.inputs] + [f"{SCALARS[t][0]} {n}" for n, t, _ in d.scalars]
    result = "Tensor" if len(d.outputs) == 1 else "(" + ", ".join("Tensor" for _ in d.outputs) + ")"
    return f"{d.entry}({', '.join(told)}) -> {result}"


def binding(d: Described) -> str:
    said = {cpp_name(n): n for n, _, _ in d.scalars}
    d = replace(d, inputs=[replace(t, name=cpp_name(t.name)) for t in d.inputs], scalars=[(cpp_name(n), t, v) for n, t, v in d.scalars])
    many = len(d.outputs) > 1
    result = f"std::tuple<{', '.join('at::Tensor' for _ in d.outputs)}>" if many else "at::Tensor"
    told = ", ".join([f"const at::Tensor &{t.name}" for t in d.inputs] + [f"{SCALARS[t][1]} {n}" for n, t, _ in d.scalars])
    given = ", ".join([t.name for t in d.inputs] + [n for n, _, _ in d.scalars])
    lines = [f"// torch.ops.ascend.{d.entry}: on an NPU, and shapes alone (device meta).", "#include <ATen/ATen.h>", "#include <torch/library.h>", "",
             "#include <string>", "#include <tuple>", "#include <vector>", "#ifdef WITH_TORCH_NPU", "#include <torch_npu/csrc/framework/OpCommand.h>", "#endif", "", "namespace {",
             f"{result} Results([[maybe_unused]] {told.replace(', ', ', [[maybe_unused]] ')}) {{"]
    for t in d.inputs:
        lines.append(f'  TORCH_CHECK({t.name}.scalar_type() == at::{TORCH[t.dtype]} && {t.name}.dim() == {len(t.shape)}, '
                     f'"{d.entry}: {t.name} is to be {t.dtype} with {len(t.shape)} dimensions");')
    made = []
    for o, dims in zip(d.outputs, d.shapes):
        assert dims is not None
        sizes = ", ".join(s.written(lambda n, k: f"{cpp_name(n)}.sym_size({k})").replace(" // ", " / ") for s in dims)
        made.append(f"at::empty_symint(std::vector<c10::SymInt>{{{sizes}}}, {d.inputs[0].name}.options().dtype(at::{TORCH[d.names[o.dtype]]}))")
    if many:
        lines += ["  return {" + ",\n          ".join(made) + "};", "}", ""]
    else:
        lines += [f"  return {made[0]};", "}", ""]
    lines += ["#ifdef WITH_TORCH_NPU", f"{result} OnNpu({told}) {{", f"  auto results = Results({given});", "  at_npu::native::OpCommand command;",
              f'  command.Name("{d.operator}");']
    lines += [f"  command.Input({t.name}.contiguous());" for t in d.inputs]
    lines += [f"  command.Output(std::get<{i}>(results));" if many else "  command.Output(results);" for i in range(len(d.outputs))]
    for n, kind, _ in d.scalars:
        value = f"static_cast<float>({n})" if kind == "float" else f"std::string({n})" if kind == "str" else n
        lines.append(f'  command.Attr("{said[n]}", {value});')
    lines += ["  command.Run();", "  return results;", "}", "#endif", "}  // namespace", "", "TORCH_LIBRARY_FRAGMENT(ascend, m) {", f'  m.def("{schema(d)}");', "}",
              "", "TORCH_LIBRARY_IMPL(ascend, Meta, m) {", f'  m.impl("{d.entry}", Results);', "}", "",
              "TORCH_LIBRARY_IMPL(ascend, AutogradMeta, m) {", f'  m.impl("{d.entry}", torch::CppFunction::makeFallthrough());', "}", "", "#ifdef WITH_TORCH_NPU",
              "TORCH_LIBRARY_IMPL(ascend, PrivateUse1, m) {", f'  m.impl("{d.entry}", OnNpu);', "}", "#endif"]
    return "\n".join(lines) + "\n"


def cmake_torch(d: Described) -> str:
    return f"""# The library for torch.ops.load_library; -DPYTHON: a Python that has PyTorch; -DTORCH_NPU: the installed package torch_npu.
cmake_minimum_required(VERSION 3.19)
project({d.entry}_torch CXX)
set(PYTHON python3 CACHE STRING "a Python that has PyTorch")
set(TORCH_NPU "" CACHE PATH "the installed package torch_npu")
execute_process(COMMAND ${{PYTHON}} -c "import os, torch; print(os.path.dirname(torch.__file__), int(torch.compiled_with_cxx11_abi()), sep=';')"
                OUTPUT_VARIABLE FOUND OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
list(GET FOUND 0 TORCH)
list(GET FOUND 1 ABI)
find_path(TORCH_INCLUDE torch/library.h HINTS ${{TORCH}}/include REQUIRED)
find_library(TORCH_CPU torch_cpu HINTS ${{TORCH}}/lib REQUIRED)
find_library(C10 c10 HINTS ${{TORCH}}/lib REQUIRED)
add_library({d.entry}_torch SHARED {d.entry}_torch.cpp)
target_compile_features({d.entry}_torch PRIVATE cxx_std_20)
target_compile_definitions({d.entry}_torch PRIVATE _GLIBCXX_USE_CXX11_ABI=${{ABI}})
target_include_directories({d.entry}_torch PRIVATE ${{TORCH_INCLUDE}})
target_link_libraries({d.entry}_torch PRIVATE ${{TORCH_CPU}} ${{C10}})
if(TORCH_NPU)
  target_compile_definitions({d.entry}_torch PRIVATE WITH_TORCH_NPU)
  target_include_directories({d.entry}_torch PRIVATE ${{TORCH_NPU}}/include)
  target_link_libraries({d.entry}_torch PRIVATE ${{TORCH_NPU}}/lib/libtorch_npu.so)
endif()
"""


def binding_test(d: Described) -> str:
    rows = "".join(f"    {t.name!r}: ({t.dtype!r}, {list(t.shape)}, {t.low!r}, {t.high!r}),\n" for t in d.inputs if not t.state)
    scalars = {n: v for n, _, v in d.scalars}
    held = {t.name: (t.dtype, list(t.shape), t.values) for t in d.inputs if t.values is not None}
    parameters = {t.name: t.dtype for t in d.inputs if t.state and t.values is None}
    return f'''"""The binding against the function it was made of. usage: python3 test_{d.entry}.py LIBRARY"""
import sys

import torch

torch.ops.load_library(sys.argv.pop(1))
import original  # noqa: E402

INPUTS = {{
{rows}}}
VALUES = {d.defaults!r}
ATTRIBUTES = {scalars!r}
ORDER = {[t.name for t in d.inputs]!r}
HELD = {held!r}
PARAMETERS = {parameters!r}


def drawn(dtype, shape, low, high):
    kind = getattr(torch, dtype)
    if kind == torch.bool:
        return torch.rand(shape) < 0.5
    if not kind.is_floating_point:
        low = (0 if kind == torch.uint8 else -9) if low is None else low
        return torch.randint(int(low), int(9 if high is None else high) + 1, shape).to(kind)
    low, high = (-2, 2) if low is None else (low, high)
    return (torch.rand(shape) * (high - low) + low).to(kind)


def flat(value):
    return [value] if isinstance(value, torch.Tensor) else [t for v in (value.values() if isinstance(value, dict) else value or ()) for t in flat(v)]


torch.manual_seed(0)
made = {{name: drawn(*row) for name, row in INPUTS.items()}}
function = original.{d.function}
function = function() if isinstance(function, type) else function
states = {{}}
if isinstance(function, torch.nn.Module):
    function.eval()
    for kind in {{getattr(torch, t) for t in PARAMETERS.values()}}:
        if kind.is_floating_point:
            function.to(kind)
    states = {{n.replace(".", "_"): t for n, t in [*function.named_parameters(), *function.named_buffers()]}}
    states = {{n if not n[0].isdigit() else "p" + n: t.detach().clone() for n, t in states.items()}}
states.update({{n: torch.tensor(v, dtype=getattr(torch, t)).reshape(s) for n, (t, s, v) in HELD.items()}})


def argument(name):
    listed = [made[n] for n in made if n.rpartition("_")[0] == name and n.rpartition("_")[2].isdigit()]
    return made[name] if name in made else listed or VALUES.get(name)


tensors = [(made[n] if n in made else states[n]).clone() for n in ORDER]


def called():
    with torch.no_grad():
        return flat(function(**{{n: argument(n) for n in {d.order!r}}})) + [made[n] for n in {d.appended!r}]


try:
    expected = called()
except RuntimeError as e:  # an operator that PyTorch has not for this dtype on a CPU
    if "not implemented for" not in str(e):
        raise
    made = {{n: t.float() if t.is_floating_point() else t for n, t in made.items()}}
    function = function.float() if isinstance(function, torch.nn.Module) else function
    expected = called()
operator = torch.ops.ascend.{d.entry}
for e, m in zip(expected, flat(operator(*[t.to("meta") for t in tensors], *ATTRIBUTES.values()))):
    assert e.shape == m.shape, (e.shape, m.shape)
print("shapes agree")
if hasattr(torch, "npu") and torch.npu.is_available():
    for e, r in zip(expected, flat(operator(*[t.npu() for t in tensors], *ATTRIBUTES.values()))):
        torch.testing.assert_close(r.cpu().double(), e.double(), rtol=1e-2, atol=1e-3)
    print("values agree")
'''


def readme(d: Described, guards: Sequence[str], known: bool) -> str:
    lines = [f"# {d.operator}", "", f"`{d.function}` of `torch/original.py` as an operator for Ascend chips, made by `akgen kernel`.", "",
             "| | |", "|---|---|", "| `op_kernel`, `op_host` | kernel, tiling, definition, shape inference |", "| `program.py` | the same in akgen's kernel language |",
             f"| `{d.entry}.json` | description for msopgen |", "| `task` | cases and reference that it was judged with |",
             "| `verdict.json` | what `akgen judge` said |"]
    if known:
        lines.append("| `torch` | binding for PyTorch and its test |")
    lines += ["", "It takes:", ""] + [f"- {g}" for g in guards] + [""]
    if d.changed:
        lines += [f"`{d.function}` changes {n} in place; the operator gives the new value as {o}." for n, o in d.changed.items()] + [""]
    lines += ["```sh", f"akgen judge . --task task/level1/Own/{d.operator}   # on the simulated chip",
              "cmake -B build && cmake --build build -j   # with the CANN toolkit; not tried by akgen"]
    if known:
        lines += ["cmake -S torch -B build/torch   # and -DTORCH_NPU=… for the NPU",
                  f"cmake --build build/torch && (cd torch && python3 test_{d.entry}.py ../build/torch/lib{d.entry}_torch.so)"]
    return "\n".join([*lines, "```"]) + "\n"


def write(folder: Path, d: Described, guards: Sequence[str]) -> None:
    known = all(s is not None for s in d.shapes) and all(t.dtype in DTYPES.values() for t in d.inputs)
    files = {"CMakeLists.txt": cmake(d), "op_host/CMakeLists.txt": cmake_host(d), "op_kernel/CMakeLists.txt": cmake_kernel(d), f"{d.entry}.json": msopgen(d),
             "README.md": readme(d, guards, known)}
    if known:
        files.update({f"op_host/{d.entry}_infer.cpp": infer_cpp(d), f"torch/{d.entry}_torch.cpp": binding(d), "torch/CMakeLists.txt": cmake_torch(d),
                      f"torch/test_{d.entry}.py": binding_test(d), "torch/original.py": d.source})
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
