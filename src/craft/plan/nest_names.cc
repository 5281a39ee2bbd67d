// The names of a nest's kernel: those of the graph that it computes.

#include "base/regex.h"
#include "craft/plan/nest.h"

namespace akgen::craft {

std::string Labelled(const std::string& body, const NestGraph& graph) {
  static const base::Regex kName(
      R"(\b(?:(x\d+)_|([vqrkpw]))(\d+)(?=(?:_at|_in|_col|_pairs|_ub\d*n?|_rows\d+|_g\d+)*(?![A-Za-z0-9_])))");
  std::string out;
  size_t at = 0;
  for (const base::Match& m : kName.All(body)) {
    const size_t n = std::stoul(m[3].text);
    out.append(body, at, m[0].begin - at);
    at = m[0].end;
    const std::string label = n < graph.nodes.size() ? graph.nodes[n].label : "";
    if (label.empty())
      out += m[0].text;
    else if (m[1].matched)
      out += m[1].text + "_ub" + (label[0] == '_' ? label.substr(1 + m[1].text.size()) : label);
    else
      out += m[2].text + label;
  }
  return out.append(body, at);
}

}  // namespace akgen::craft
