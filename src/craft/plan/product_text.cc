// Programs of parts as functions of one program.
#include "craft/plan/product_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace akgen::craft {

// Rules give an output as many elements as it has; where it is read again its dimensions are told,
// too: in the function that makes it, and in those on the way there.
std::string InShape(std::string& text, const std::string& function, size_t output,
                    const std::vector<std::string>& extents) {
  const std::string head = fmt::format("@host\ndef {}(", function),
                    name = fmt::format("y{}", output);
  const size_t host = text.rfind(head);
  if (host == std::string::npos || extents.empty()) return "";
  if (const size_t told = text.find(fmt::format(", {}_0: int", name), host);
      told < text.find('\n', host + 6))
    return "";
  const size_t stop = std::min(text.find("\n@", host + 1), text.size()),
               end = text.find("):\n", host);
  std::string params, dims, args;
  for (size_t d = 0; d < extents.size(); ++d) {
    params += fmt::format(", {}_{}: int", name, d);
    dims += fmt::format("{}{}_{}", d ? ", " : "", name, d);
    args += ", " + extents[d];
  }
  const std::string made = fmt::format("\n    {} = empty(", name),
                    called = fmt::format("\n    {} = part", name);
  if (const size_t at = text.find(made, host); at < stop) {
    const size_t from = at + made.size(), line = text.find('\n', from),
                 column = text.find(", column(", from);
    const size_t to = std::min(column < line ? column : line, text.rfind(", ", line));
    if (text.compare(from, 7, "given, ") == 0) return "";  // the caller's
    std::string times = dims;
    for (size_t i = times.find(", "); i != std::string::npos; i = times.find(", "))
      times.replace(i, 2, " * ");
    const std::string shape = text.substr(from, to - from);
    text.replace(from, to - from, "[" + dims + "]");
    text.insert(at + 1, fmt::format("    require(prod({}) == {})\n", shape, times));
  } else if (const size_t call = text.find(called, host); call < stop) {
    const size_t from = call + called.size() - 4, open = text.find('(', from),
                 close = text.find('\n', open) - 1;
    std::vector<std::string> names;
    for (size_t d = 0; d < extents.size(); ++d) names.push_back(fmt::format("{}_{}", name, d));
    std::string inner = text;
    const std::string more = InShape(inner, text.substr(from, open - from), 0, names);
    if (more.empty()) return "";
    const size_t moved = inner.size() - text.size();  // that function stands before this one
    text = std::move(inner);
    text.insert(close + moved, more);
    text.insert(end + moved, params);
    return args;
  } else {
    return "";
  }
  text.insert(end, params);
  return args;
}

std::string OwnNames(const std::string& text, const std::string& number, bool beside_products) {
  std::map<std::string, std::string> names = {{"op", "part" + number}};
  // Beside products best_cores() is the number of Cube cores.
  if (beside_products) names["best_cores"] = "vector_cores";
  for (const std::string start : {"@kernel\ndef ", "@host\ndef "})
    for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
      const size_t from = at + start.size();
      const std::string name = text.substr(from, text.find('(', from) - from);
      if (name != "op") names[name] = fmt::format("part{}_{}", number, name);
    }
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && base::IsWord(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    auto it = names.find(word);
    out += it == names.end() ? word : it->second;
    i = end;
  }
  return out;
}

}  // namespace akgen::craft
