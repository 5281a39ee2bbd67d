// Writes the text of one kernel from a placed graph.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include "craft/ir/ir.h"
#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
using record::GraphNumber;

class KernelWriter {
 public:
  KernelWriter(const PlanTask& t, const PlanCase& c, const Layout& l, bool guarded)
      : task_(t), case_(c), l_(l), guarded_(guarded) {}

  KernelText Run();

 private:
  struct Out {
    size_t index;
    Span span;
    std::string text;
    bool late;
  };
  struct Part {
    std::string id, cols, how;  // sum, max or min
  };
  static const char* Neutral(const std::string& how) {
    return how == "sum" ? "0.0" : how == "max" ? "(-inf)" : "inf";
  }
  static std::string Joined(const std::string& how, const std::string& a, const std::string& b) {
    return how == "sum" ? fmt::format("{} + {}", a, b) : fmt::format("{}imum({}, {})", how, a, b);
  }
  // Does each tensor of the list give a number of its own?
  bool OfEach() const { return !list_.empty() && !task_.folds; }
  bool IsBool(const std::string& id) const;
  const PlanParam* Param(const std::string& id) const;
  static std::string Base(const std::string& id) { return id.substr(0, id.find('.')); }

  std::string Answered(const GraphNumber& q);
  // A number of the graph as text: constants, attributes, elements of inputs, extents.
  std::string Number(const GraphNumber& n);
  std::string Extent(const GraphNumber& n);

  std::string Operand(const record::GraphArg& a);
  std::string Tensor(const std::string& id);
  void Set(const Step& s, std::string text);

  void One(const Step& s);

  void LayerNorm(const Step& s);

  // A line of its own: rows too long for UB join it from parts.
  std::string RowReduction(const std::string& op, const std::string& value);

  // One element of each row.
  void Choose(const Step& s);

  static std::string How(const std::string& op) {
    return op == "sum" || op == "mean" ? "sum" : op == "min" || op == "amin" ? "min" : "max";
  }
  void Reduce(const Step& s);

  bool DependsOnLate(const std::string& id) const;

  void Outputs();

  // Lines that only late values need run after the barrier of all cores.
  KernelText Assemble();
  static bool Mentions(const std::string& text, const std::string& name);
  // Tiles are there in the loop only; a row that all tiles share stays.
  bool MentionsTile(const std::string& text) const;
  bool MentionsSum(const std::string& text) const;
  std::string ItemExtent(const std::string& id);
  std::string Window() const {
    return !list_.empty() ? "[t][i : i + n]" : l_.flat ? "[i : i + n]" : "[i : i + n, :]";
  }
  std::string Window(const Out& o) const {
    return o.span == Span::kOne ? "[:]" : o.span == Span::kRow ? "[:]" : Window();
  }

  KernelText Finish(KernelText k, const std::string& args, const std::string& bufs,
                    const std::string& resident, const std::string& loads,
                    const std::vector<std::string>& early, const std::vector<std::string>& late);
  // A number for each tensor of the list: a core takes a whole tensor.
  std::string OneOfEach(const std::string& loads, const std::vector<std::string>& early,
                        const std::vector<std::string>& late) const;
  // The same with every tensor spread over all cores; parts of it go through the workspace.
  std::string PartsOfEach(const std::string& loads, const std::vector<std::string>& early,
                          const std::vector<std::string>& late) const;
  std::string AccumulateEach(const std::string& first, const std::string& last,
                             const std::string& loads, const std::vector<std::string>& early) const;
  // The number of tensor `t`; `of`: what its reductions are, by {how} and {i}.
  std::string FinishEach(const std::vector<std::string>& late, const std::string& of,
                         std::string& stores) const;
  // Where an integer output may get a float, the conversion is said; it cuts towards zero.
  std::string Narrow(const Out& o, const std::string& text) const;
  // The same for rows that do not fit: each row goes through UB in parts, once for every reduction
  // that waits for another one, and once more for the outputs.
  std::string LongRows(const std::string& args, const std::vector<std::string>& scalars);
  // Reductions whose operands need no reduction that is still to come.
  std::string Phase(std::set<std::string>& done);
  std::string Tiles(const std::string& text, const std::string& compute);
  static std::string NameOf(const std::string& line) { return line.substr(0, line.find(" = ")); }
  static std::string ValueOf(const std::string& line) { return line.substr(line.find(" = ") + 3); }
  static bool IsReductionLine(const std::string& line) {
    return ValueOf(line).rfind("row_", 0) == 0;
  }
  // The lines that lead to these texts, in order; reductions that are done are read from their
  // buffers.
  std::vector<std::string> Needed(const std::vector<std::string>& texts,
                                  const std::set<std::string>& done) const;
  std::string Lines(const std::vector<std::string>& lines, const std::string& in) const;
  std::string Persisted(std::string text) const;

  // A bare number has no extent: it gets the tile's.
  std::string Shaped(const Out& o) const {
    return Shaped(o, l_.flat ? "1" : "n", l_.flat ? "n" : o.span == Span::kColumn ? "1" : "cols");
  }
  static std::string Shaped(const Out& o, const std::string& rows, const std::string& cols);
  std::string Indent(const std::string& text, const std::string& in) const;

  // Lines made of constants that late ones need once more.
  std::vector<std::string> Constants(const std::vector<std::string>& late) const;
  // Each core combines a share of the columns, when nothing else that spans a row has a part in
  // what follows.
  static constexpr const char* kShare = "align(ceil_div(cols, parts), 64)";
  bool Shared(const std::vector<std::string>& late) const;
  std::string Join(const std::vector<std::string>& late);

  const PlanTask& task_;
  const PlanCase& case_;
  const Layout& l_;
  const bool guarded_;
  std::string guard_;  // what was asked of elements and how it was answered; empty: the kernel is
                       // for all answers
  std::string list_;
  std::map<std::string, std::string> text_;
  std::map<std::string, Span> span_of_;
  std::map<std::string, std::string> host_;  // numbers the host computes
  std::set<std::string> by_turn_;            // inputs with an element for each tensor of the list
  std::set<std::string> loads_, items_, attrs_, late_;
  std::vector<std::string> lines_;
  std::vector<Out> outs_;
  std::vector<Part> parts_;
  int reductions_ = 0;
};

}  // namespace akgen::craft
