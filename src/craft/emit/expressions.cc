// Scalars and tensors in global memory, as C++.
#include "craft/emit/expressions.h"

#include <fmt/format.h>

namespace akgen::craft {
using base::Dtype;
using ir::S;
using ir::SKind;
using ir::Ty;

std::string Expressions::FloatScalar(const S& s) {
  return s->type == Ty::kFloat ? Scalar(s) : fmt::format("static_cast<float>({})", Scalar(s));
}

std::string Expressions::Item(const S& s) {
  const ir::Gm* g = nullptr;
  for (const auto& gm : kernel_.gms)
    if (gm.name == s->tensor) g = &gm;
  ir::GmRef ref;
  ref.gm = static_cast<int>(g - kernel_.gms.data());
  if (s->args.size() > 1) ref.list_index = s->args[1];
  std::string read = fmt::format("{}.GetValue({})", GmTensor(ref), Scalar(s->args[0]));
  if (g->dtype == Dtype::kBfloat16)
    return uses_.insert("AsFloat"), fmt::format("AsFloat({})", read);
  return fmt::format("static_cast<{}>({})", s->type == Ty::kFloat ? "float" : "int64_t", read);
}

std::string Expressions::Scalar(const S& s, int least) {
  std::string out;
  int level = 9;
  switch (s->kind) {
    case SKind::kConst:
      if (s->type == Ty::kFloat) return FloatText(s->f);
      if (s->type == Ty::kBool) return s->i ? "true" : "false";
      return s->i < 0 && least > 0 ? fmt::format("({})", s->i) : fmt::format("{}", s->i);
    case SKind::kVar:
      if (s->text == ir::kPiece) return "i";
      return params_.count(s->text) ? SafeName(s->text) + "_" : SafeName(s->text);
    case SKind::kUnary: return (s->text == "not" ? "!" : "-") + Scalar(s->args[0], 9);
    case SKind::kSelect:
      out = fmt::format("{} ? {} : {}", Scalar(s->args[1], 1), Scalar(s->args[0], 1),
                        Scalar(s->args[2], 0));
      level = 0;
      break;
    case SKind::kBinary: {
      const std::string& t = s->text;
      if (t == "//" || t == "%") {
        std::string f = t == "//" ? "FloorDiv" : "FloorMod";
        uses_.insert(f);
        return fmt::format("{}({}, {})", f, Scalar(s->args[0]), Scalar(s->args[1]));
      }
      if (t == "/")
        return fmt::format("({} / {})", FloatScalar(s->args[0]), FloatScalar(s->args[1]));
      level = t == "or" ? 1 : t == "and" ? 2 : t == "+" || t == "-" ? 5 : t == "*" ? 6 : 4;
      bool mixed = s->args[0]->type == Ty::kFloat || s->args[1]->type == Ty::kFloat;
      auto side = [&](int i) {
        return mixed && s->args[i]->type == Ty::kInt ? FloatScalar(s->args[i])
                                                     : Scalar(s->args[i], level + i);
      };
      out = fmt::format("{} {} {}", side(0), t == "or" ? "||" : t == "and" ? "&&" : t, side(1));
      break;
    }
    case SKind::kCall: {
      const std::string& f = s->text;
      if (f == "core" && of_mixed_vector_)
        return "static_cast<int64_t>(GetBlockIdx() / GetSubBlockNum())";
      if (f == "sub_block") return "static_cast<int64_t>(GetSubBlockIdx())";
      if (f == "core") return "static_cast<int64_t>(GetBlockIdx())";
      if (f == "cores" && of_sequence_) return "cores_";
      if (f == "cores") return "static_cast<int64_t>(GetBlockNum())";
      if (f == "int") return fmt::format("static_cast<int64_t>({})", Scalar(s->args[0]));
      if (f == "float") return FloatScalar(s->args[0]);
      if (f == "count") return SafeName(s->tensor) + "_count_";
      if (f == "numel")
        return fmt::format("{}_sizes_[{}]", SafeName(s->tensor), Scalar(s->args[0]));
      if (f == "item") return Item(s);
      if (f == "length") return SafeName(s->tensor) + "_count_";
      if (f == "element" || f == "start")
        return fmt::format("{}_[{}]", SafeName(s->tensor), Scalar(s->args[0]));
      if (f == "group") {
        uses_.insert("GroupOf");
        return fmt::format("GroupOf({}_, {})", SafeName(s->tensor), Scalar(s->args[0]));
      }
      if (f == "quotient" || f == "remainder") {  // of numbers that are not negative
        level = 6;
        out = fmt::format("{} {} {}", Scalar(s->args[0], 6), f == "quotient" ? "/" : "%",
                          Scalar(s->args[1], 7));
        break;
      }
      if (f == "block_row" || f == "block_col") {
        uses_.insert({"Least", "BlockAt"});
        return fmt::format("Block{}({}, {}, {}, {})", f == "block_row" ? "Row" : "Column",
                           Scalar(s->args[0]), Scalar(s->args[1]), Scalar(s->args[2]),
                           Scalar(s->args[3]));
      }
      std::string name = f == "ceil_div" ? "CeilDiv" : f == "min" ? "Least" : "Most";
      uses_.insert(name);
      if (f == "ceil_div")
        return fmt::format("CeilDiv({}, {})", Scalar(s->args[0]), Scalar(s->args[1]));
      bool real = s->type == Ty::kFloat;
      return fmt::format("{}<{}>({}, {})", name, real ? "float" : "int64_t",
                         real ? FloatScalar(s->args[0]) : Scalar(s->args[0]),
                         real ? FloatScalar(s->args[1]) : Scalar(s->args[1]));
    }
  }
  return level < least ? "(" + out + ")" : out;
}

std::string Expressions::ListMembers() const {
  std::string out;
  for (const std::string& list : kernel_.lists)
    out += fmt::format("  int64_t {0}_count_ = 0;\n  int64_t {0}_[{1}];\n", SafeName(list),
                       ir::kMaxItems);
  for (const ir::Starts& s : kernel_.starts)
    out += fmt::format("  int64_t {}_[{}];  // the last one is the end\n", SafeName(s.name),
                       ir::kMaxItems + 1);
  return out;
}

std::string Expressions::ListInit(const LoweredProgram& p, size_t kernel) {
  std::string out;
  for (const std::string& list : kernel_.lists)
    out += fmt::format(
        "    {0}_count_ = t.{1}_count;\n    for (int64_t i = 0; i < {0}_count_; ++i) {{\n      "
        "{0}_[i] = t.{1}_items[i];\n    }}\n",
        SafeName(list), ListFieldOf(p, kernel, list));
  for (const ir::Starts& s : kernel_.starts)
    out += fmt::format(
        "    {0}_[0] = 0;\n    for (int64_t i = 0; i < {1}_count_; ++i) {{\n      {0}_[i + 1] = "
        "{0}_[i] + {2};\n    }}\n",
        SafeName(s.name), SafeName(s.list), Scalar(s.size, 5));
  return out;
}

std::string Expressions::GmTensor(const ir::GmRef& g) {
  const ir::Gm& gm = kernel_.gms[g.gm];
  if (!gm.is_list) return SafeName(gm.name) + "Gm_";
  uses_.insert("ListItem");
  return fmt::format("ListItem<{}>({}List_, {})", CppType(gm.dtype), SafeName(gm.name),
                     Scalar(g.list_index));
}

}  // namespace akgen::craft
