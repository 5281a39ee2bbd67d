// The names of a nest's kernel: those of the graph that it computes.
#include <regex>

#include "craft/plan/nest.h"

namespace akgen::craft {

std::string Labelled(const std::string& body, const NestGraph& graph) {
  static const std::regex kName(
      R"(\b(?:(x\d+)_|([vqrkpw]))(\d+)(?=(?:_at|_in|_col|_pairs|_ub\d*n?|_rows\d+|_g\d+)*(?![A-Za-z0-9_])))");
  std::string out;
  auto at = body.cbegin();
  for (std::sregex_iterator m(body.begin(), body.end(), kName), end; m != end; ++m) {
    const size_t n = std::stoul((*m)[3]);
    out.append(at, (*m)[0].first);
    at = (*m)[0].second;
    const std::string label = n < graph.nodes.size() ? graph.nodes[n].label : "";
    if (label.empty()) out += (*m)[0];
    else if ((*m)[1].matched)
      out += (*m)[1].str() + "_ub" + (label[0] == '_' ? label.substr(1 + (*m)[1].length()) : label);
    else out += (*m)[2].str() + label;
  }
  return out.append(at, body.cend());
}

}  // namespace akgen::craft
