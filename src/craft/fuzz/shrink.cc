// A failing random program is made smaller while it still fails (craft/fuzz/generate.h).
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "craft/fuzz/generate.h"

namespace akgen::craft {
namespace {
std::vector<std::string> Lines(const std::string& s) {
  std::vector<std::string> out;
  for (size_t at = 0; at < s.size();) {
    size_t end = s.find('\n', at);
    if (end == std::string::npos) end = s.size();
    out.push_back(s.substr(at, end - at));
    at = end + 1;
  }
  return out;
}
std::string Joined(const std::vector<std::string>& lines, size_t skip_from = 0,
                   size_t skip_to = 0) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i)
    if (i < skip_from || i >= skip_to) out += lines[i] + "\n";
  return out;
}
size_t Indent(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Words of an expression that may stand for the whole of it: names and numbers, and what stands in
// brackets of a call.
std::vector<std::string> Operands(const std::string& e) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (size_t at = 0; at < e.size();) {
    if (!std::isalnum(static_cast<unsigned char>(e[at])) && e[at] != '_') {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < e.size() &&
           (std::isalnum(static_cast<unsigned char>(e[end])) || e[end] == '_' || e[end] == '.'))
      ++end;
    std::string word = e.substr(at, end - at);
    if ((end >= e.size() || e[end] != '(') && word != e && seen.insert(word).second)
      out.push_back(word);
    at = end;
  }
  return out;
}

void SmallerInputs(const RandomProgram& p, std::vector<RandomProgram>& out) {
  std::set<std::string> extents;
  for (size_t open = p.inputs.find('['); open != std::string::npos;
       open = p.inputs.find('[', open + 1)) {
    size_t close = p.inputs.find(']', open);
    std::string word;
    for (char ch : p.inputs.substr(open + 1, close - open - 1) + ",") {
      if (ch == ',')
        extents.insert(word), word.clear();
      else if (ch != ' ')  // products have them
        word += ch;
    }
  }
  // An extent becomes smaller wherever it stands, so that shapes still fit.
  for (const std::string& e : extents) {
    long n = std::atol(e.c_str());
    for (long to : {1L, 2L, n / 2, n - 1}) {
      if (to < 1 || to >= n) continue;
      std::string text;
      bool inside = false;
      for (size_t at = 0; at < p.inputs.size(); ++at) {
        char ch = p.inputs[at];
        inside = ch == '[' ? true : ch == ']' ? false : inside;
        bool starts = inside && std::isdigit(static_cast<unsigned char>(ch)) &&
                      !std::isdigit(static_cast<unsigned char>(p.inputs[at - 1]));
        if (starts && p.inputs.compare(at, e.size(), e) == 0 &&
            !std::isdigit(static_cast<unsigned char>(p.inputs[at + e.size()]))) {
          text += std::to_string(to);
          at += e.size() - 1;
        } else {
          text += ch;
        }
      }
      out.push_back({p.source, text});
    }
  }
  if (size_t mark = p.inputs.find('!'); mark != std::string::npos) {
    RandomProgram plain = p;
    plain.inputs.erase(mark, 1);
    out.push_back(plain);
  }
}
}  // namespace

std::vector<RandomProgram> Smaller(const RandomProgram& p) {
  std::vector<RandomProgram> out;
  SmallerInputs(p, out);
  std::vector<std::string> lines = Lines(p.source);
  for (size_t i = lines.size(); i-- > 0;) {
    size_t end = i + 1;
    while (end < lines.size() && !lines[end].empty() && Indent(lines[end]) > Indent(lines[i]))
      ++end;
    if (!lines[i].empty()) out.push_back({Joined(lines, i, end), p.inputs});
    size_t equals = lines[i].find(" = ");
    if (equals == std::string::npos || lines[i].find('(') == std::string::npos) {
      if (equals == std::string::npos) continue;
    }
    for (const std::string& word : Operands(lines[i].substr(equals + 3))) {
      std::vector<std::string> changed = lines;
      changed[i] = lines[i].substr(0, equals + 3) + word;
      out.push_back({Joined(changed), p.inputs});
    }
  }
  return out;
}

}  // namespace akgen::craft
