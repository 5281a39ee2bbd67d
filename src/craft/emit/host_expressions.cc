// Host expressions as C++.
#include "craft/emit/host_expressions.h"

namespace akgen::craft {

std::string CppScalar(Ty t) {
  return t == Ty::kFloat    ? "double"
         : t == Ty::kBool   ? "bool"
         : t == Ty::kString ? "std::string"
                            : "int64_t";
}

size_t HostExpressions::InputIndex(const std::string& name) const {
  size_t n = 0;
  for (const auto& p : program_.params) {
    if (p.name == name) return n;
    n += !p.is_attr;
  }
  return 0;
}

size_t HostExpressions::OutputIndex(const std::string& name) const {
  size_t n = 0;
  for (const auto& t : program_.tensors) {
    if (t.name == name) return n;
    n += t.kind != HostTensor::kWorkspace;
  }
  return 0;
}

size_t HostExpressions::AttrIndex(const std::string& name) const {
  size_t n = 0;
  for (const auto& p : program_.params) {
    if (p.name == name) return n;
    n += p.is_attr;
  }
  return 0;
}

std::string HostExpressions::Shape(const std::string& tensor) const {
  const ir::HostParam* p = program_.Param(tensor);
  if (!p) return fmt::format("context->GetOutputShape({})->GetStorageShape()", OutputIndex(tensor));
  size_t i = InputIndex(tensor);
  const char* kind = p && p->is_list    ? "DynamicInputShape"
                     : p && p->optional ? "OptionalInputShape"
                                        : "RequiredInputShape";
  return fmt::format("context->Get{}({}{})->GetStorageShape()", kind, i,
                     p && p->is_list ? ", 0" : "");
}

std::string HostExpressions::ShapeCall(const S& s, const std::string& fn) {
  std::string out = fn == "prod" ? "1" : "0";
  for (const ir::ShapePart& part : s->shape) {
    const ir::HostParam* p = part.value ? nullptr : program_.Param(part.tensor);
    std::string term;
    if (part.value) {
      term = fn == "prod" ? Scalar(part.value) : "1";
    } else if (p && p->is_int_list) {
      term = fmt::format(
          fmt::runtime(fn == "prod" ? "Prod(attrs->GetListInt({}))"
                                    : "static_cast<int64_t>(attrs->GetListInt({})->GetSize())"),
          AttrIndex(part.tensor));
    } else if (fn == "prod") {
      term = fmt::format("Prod({}, {}, {})", Shape(part.tensor),
                         part.first ? Scalar(part.first) : std::to_string(part.from),
                         part.last     ? Scalar(part.last)
                         : part.to_end ? "99"
                                       : std::to_string(part.to));
    } else {
      term = fmt::format("static_cast<int64_t>({}.GetDimNum())", Shape(part.tensor));
      if (part.from > 0) term += fmt::format(" - {}", part.from);
      if (!part.to_end && part.to < 0) term += fmt::format(" - {}", -part.to);
    }
    out = out == (fn == "prod" ? "1" : "0")
              ? term
              : fmt::format("{} {} {}", out, fn == "prod" ? "*" : "+", term);
  }
  return s->shape.size() > 1 ? "(" + out + ")" : out;
}

std::string HostExpressions::List(const std::string& name) const {
  return fmt::format("attrs->GetListInt({})", AttrIndex(name));
}

std::string HostExpressions::Desc(const std::string& tensor) const {
  size_t i = InputIndex(tensor);
  return program_.Param(tensor)->is_list ? fmt::format("context->GetDynamicInputDesc({}, 0)", i)
                                         : fmt::format("context->GetRequiredInputDesc({})", i);
}

std::string HostExpressions::Call(const S& s) {
  const std::string& f = s->text;
  auto arg = [&](size_t i) { return Scalar(s->args[i]); };
  if (f == "length") return fmt::format("static_cast<int64_t>({}->GetSize())", List(s->tensor));
  if (f == "before") {
    std::string lists;
    for (size_t i = 1; i < s->args.size(); ++i) lists += ", " + List(s->args[i]->text);
    return fmt::format("Before({}{})", arg(0), lists);
  }
  if (f == "cube_cores" || (f == "best_cores" && program_.HasCube())) return "cube_cores";
  if (f == "block_rows" || f == "block_cols")
    return fmt::format("BlockOf({}, {}, {}, {}, {}, cube_cores{}).{}", arg(0), arg(1), arg(2),
                       blocks_.operand_bytes, blocks_.most_cols, blocks_.fits,
                       f == "block_rows" ? "rows" : "cols");
  if (f == "quotient") return fmt::format("FloorDiv({}, {})", arg(0), arg(1));
  if (f == "remainder") return fmt::format("FloorMod({}, {})", arg(0), arg(1));
  if (f == "block_row") return fmt::format("FloorDiv({}, {})", arg(0), arg(2));
  if (f == "block_col") return fmt::format("FloorMod({}, {})", arg(0), arg(2));
  if (f == "best_cores") return "cores";
  if (f == "vector_cores") return "all_cores";
  if (f == "cores") return "blocks";  // in a kernel's cycles
  if (f == "dim") {
    const ir::HostParam* p = program_.Param(s->tensor);
    if (p && p->is_int_list) return fmt::format("{}->GetData()[{}]", List(s->tensor), arg(0));
    return fmt::format("Dim({}, {})", Shape(s->tensor), arg(0));
  }
  if (f == "numel") return Shape(s->tensor) + ".GetShapeSize()";
  if (f == "count")
    return fmt::format(
        "static_cast<int64_t>(context->GetIrInputInstanceInfo({})->GetInstanceNum())",
        InputIndex(s->tensor));
  if (f == "alike")
    return fmt::format("Alike(context, {}, {})", InputIndex(s->tensor),
                       InputIndex(s->args[0]->text));
  if (f == "present")
    return fmt::format("(context->GetOptionalInputShape({}) != nullptr)", InputIndex(s->tensor));
  if (f == "is_dtype")
    return fmt::format("({}->GetDataType() == {})", Desc(s->tensor),
                       GeType(*ir::DtypeFromShort(s->args[0]->text)));
  if (f == "prod" || f == "len") return ShapeCall(s, f);
  if (f == "int") return fmt::format("static_cast<int64_t>({})", arg(0));
  if (f == "float") return fmt::format("static_cast<double>({})", arg(0));
  if (f == "ceil_div") return fmt::format("CeilDiv({}, {})", arg(0), arg(1));
  if (f == "overlap")
    return fmt::format("Overlap({}, {}, {}, {}, {}, {}, {}, {})", arg(0), arg(1), arg(2), arg(3),
                       arg(4), arg(5), arg(6), arg(7));
  if (f == "min" || f == "max")
    return fmt::format("std::{}<{}>({}, {})", f, CppScalar(s->type), arg(0), arg(1));
  if (f == "tune") return Scalar(s->args[0]);
  needs_math_ = true;
  std::string out = "std::" + f + "(" + (f == "pow" ? "" : "static_cast<double>(") + arg(0);
  return f == "pow" ? fmt::format("{}, {})", out, arg(1)) : out + "))";
}

std::string HostExpressions::Scalar(const S& s, int least) {
  std::string out;
  int level = 9;
  switch (s->kind) {
    case SKind::kConst:
      if (s->type == Ty::kFloat)
        return std::isinf(s->f)
                   ? fmt::format("{}std::numeric_limits<double>::infinity()", s->f < 0 ? "-" : "")
                   : ir::ToText(s);
      if (s->type == Ty::kBool) return s->i ? "true" : "false";
      if (s->type == Ty::kString) return fmt::format("std::string(\"{}\")", s->text);
      return fmt::format("{}", s->i);
    case SKind::kVar: return SafeName(s->text);
    case SKind::kUnary: return (s->text == "not" ? "!" : "-") + Scalar(s->args[0], 9);
    case SKind::kSelect:
      out = fmt::format("{} ? {} : {}", Scalar(s->args[1], 1), Scalar(s->args[0], 1),
                        Scalar(s->args[2]));
      level = 0;
      break;
    case SKind::kBinary: {
      const std::string& t = s->text;
      if (t == "//" || t == "%")
        return fmt::format("{}({}, {})", t == "//" ? "FloorDiv" : "FloorMod", Scalar(s->args[0]),
                           Scalar(s->args[1]));
      if (t == "/")
        return fmt::format("(static_cast<double>({}) / static_cast<double>({}))",
                           Scalar(s->args[0]), Scalar(s->args[1]));
      level = t == "or" ? 1 : t == "and" ? 2 : t == "+" || t == "-" ? 5 : t == "*" ? 6 : 4;
      out = fmt::format("{} {} {}", Scalar(s->args[0], level),
                        t == "or"    ? "||"
                        : t == "and" ? "&&"
                                     : t,
                        Scalar(s->args[1], level + 1));
      break;
    }
    case SKind::kCall: return Call(s);
  }
  return level < least ? "(" + out + ")" : out;
}

}  // namespace akgen::craft
