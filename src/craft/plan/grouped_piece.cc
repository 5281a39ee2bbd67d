#include "craft/plan/grouped_piece.h"

#include <fmt/format.h>

#include <set>

#include "craft/plan/element.h"

namespace akgen::craft {
using record::GraphArg;
using record::GraphNode;
using record::GraphNumber;
using From = GraphNumber::From;

bool IsConverting(const std::string& op) {
  return op == "to" || op == "double" || op == "float" || op == "type_as" || op == "int" ||
         op == "long";
}

std::string Piece::Describe(const std::string& id) {
  auto it = makers_.find(id);
  if (it == makers_.end()) return id;
  const auto [said, fresh] = said_.emplace(id, said_.size());
  if (!fresh) return fmt::format("#{}", said->second);
  const GraphNode& n = *it->second;
  if (n.out.size() != 1) throw WithSeveralResults(n.op);
  std::string out = n.op + "(";
  static const std::set<std::string> kSized = {"reshape", "view",
                                               "flatten"};  // shapes say the sizes
  for (size_t i = 0; i < n.args.size(); ++i) {
    if (kSized.count(n.op) && i > 0) continue;
    const bool begin =
        n.op == "slice" && i == 2 && g_ == 0 && n.args[2].Is(0) && n.args[3].IsNumber();
    const bool entry = n.op == "select" && i == 2 && IsTurn(n.args[2]);
    out += (begin ? Describe(n.args[3].number, 1) : entry ? "g+0" : Describe(n.args[i])) + ",";
  }
  return out + ")";
}

const GraphNode* Piece::Maker(const std::string& id) const {
  auto it = makers_.find(id);
  return it == makers_.end() ? nullptr : it->second;
}

Operand Piece::Of(const std::string& id) {
  const GraphNode* n = Maker(id);
  if (!n) return {id, Take::kAll, false, false, case_.shapes.at(id), "", false};
  if (!n->args.at(0).IsTensor()) throw WithoutRule(n->op, " in a group");
  Operand x = Of(n->args[0].tensor);
  const std::vector<int64_t> before = x.dims;
  x.dims = n->out[0].shape;
  auto at = [&](size_t arg, size_t rank) {
    const int64_t r = static_cast<int64_t>(rank);
    return n->args.size() > arg && n->args[arg].IsNumber() && n->args[arg].number.HasInt()
               ? (n->args[arg].number.Int() + r) % r
               : -1;
  };
  if (IsConverting(n->op) || n->op == "contiguous") return x;
  const bool plain = !x.turned && x.places.empty();
  if (n->op == "t" || (n->op == "transpose" && before.size() == 2 && at(1, 2) != at(2, 2))) {
    x.turned = !x.turned;
    return x;
  }
  if (n->op == "select" && plain && x.take == Take::kAll && at(1, before.size()) == 0 &&
      IsTurn(n->args[2])) {
    x.take = Take::kEntry;
    return x;
  }
  if (n->op == "slice" && plain && x.take == Take::kAll && at(1, before.size()) == 0 &&
      n->args.at(4).Is(1)) {
    const std::string end = EndsOf(n->args[3]);
    if (end.empty() || (!ends_.empty() && ends_ != end))
      throw Unplanned{"a slice whose end no tensor says"};
    const bool first =
        g_ == 0 ? n->args[2].Is(0) : Describe(n->args[2]) == Describe(n->args[3].number, 1);
    if (!first) throw Unplanned{"a slice that does not begin where the one before ends"};
    ends_ = end;
    x.take = Take::kRange;
    return x;
  }
  if (n->op == "unsqueeze" && x.places.empty() && before.size() == 1) {
    x.places = at(1, 2) == 0 ? "0" : "1";
    return x;
  }
  const bool views = n->op == "reshape" || n->op == "view";
  if (views && plain && x.take == Take::kAll && !x.viewed && x.dims.size() == 2 &&
      makers_.count(id)) {
    x.viewed = true;
    return x;
  }
  throw WithoutRule(n->op, " in a group");
}

bool Piece::IsTurn(const GraphArg& a) const {
  if (!a.IsNumber()) return false;
  return a.number.from == From::kTurn ? a.number.turn == g_ : a.Is(static_cast<double>(g_));
}
// The tensor of which a number is element g.
std::string Piece::EndsOf(const GraphArg& a) const {
  const GraphNumber* n = a.IsNumber() ? &a.number : nullptr;
  while (n && n->from == From::kOperation && n->name == "Int" && n->args.size() == 1)
    n = &n->args[0];
  const bool element = n && n->from == From::kElement && n->args.size() == 1 &&
                       n->args[0].from == From::kTurn && n->args[0].turn == g_;
  return element ? n->name : "";
}
std::string Piece::Describe(const GraphArg& a) {
  if (a.IsTensor()) return Describe(a.tensor);
  if (a.IsNumber()) return Describe(a.number, 0);
  std::string out = a.IsList() ? "[" : "none";
  for (const GraphArg& one : a.list) out += Describe(one) + ",";
  return out;
}
std::string Piece::Describe(const GraphNumber& n, int64_t earlier) {
  if (n.from == From::kTurn) return fmt::format("g{:+}", n.turn - g_ - earlier);
  if (n.IsConstant()) return base::Dump(record::ToJson(n.value));
  std::string out = n.name + "(";
  if (n.from == From::kTensor) out += Describe(n.name);
  for (const GraphNumber& a : n.args) out += Describe(a, earlier) + ",";
  return out + ")";
}

}  // namespace akgen::craft
