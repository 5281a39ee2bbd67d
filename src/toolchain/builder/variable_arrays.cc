#include "toolchain/builder/variable_arrays.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {
constexpr size_t kNone = std::string::npos;

size_t PlaceOf(const std::string& text, int line, int column) {
  size_t at = 0;
  for (int i = 1; i < line; ++i)
    if (at = text.find('\n', at) + 1; at == 0) return kNone;
  at += size_t(std::max(column, 1) - 1);
  return at < text.size() ? at : kNone;
}

size_t SkipBlank(const std::string& code, size_t at) { return code.find_first_not_of(" \t\n", at); }

// The bracket that closes the one at `open`.
size_t Closing(const std::string& code, size_t open) {
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    depth += (code[i] == '[' || code[i] == '{' || code[i] == '(') -
             (code[i] == ']' || code[i] == '}' || code[i] == ')');
    if (depth == 0) return i;
  }
  return kNone;
}

std::string_view Trimmed(std::string_view s) {
  const size_t first = s.find_first_not_of(" \t\n");
  return first == kNone ? std::string_view()
                        : s.substr(first, s.find_last_not_of(" \t\n") + 1 - first);
}

struct Edit {
  size_t at = 0, length = 0;
  std::string text;
};

// `= {a, b}` of name[n] becomes `; name is cleared; name[0] = a; name[1] = b`.
std::optional<Edit> EditAt(const std::string& text, const std::string& code, size_t place) {
  const size_t open = code.rfind('[', place), close = open == kNone ? kNone : Closing(code, open);
  if (close == kNone || close < place) return std::nullopt;
  size_t end = code.find_last_not_of(" \t\n", open ? open - 1 : 0), begin = end;
  if (end == kNone || !base::IsWord(code[end])) return std::nullopt;
  while (begin > 0 && base::IsWord(code[begin - 1])) --begin;
  const std::string name = text.substr(begin, end + 1 - begin);
  const size_t sign = SkipBlank(code, close + 1),
               list = sign == kNone || code[sign] != '=' ? sign : SkipBlank(code, sign + 1);
  if (list == kNone || code[list] != '{') return std::nullopt;
  const size_t last = Closing(code, list),
               after = last == kNone ? kNone : SkipBlank(code, last + 1);
  if (after == kNone || code[after] != ';') return std::nullopt;
  Edit edit{close + 1, last - close, "; __builtin_memset(" + name + ", 0, sizeof(" + name + "))"};
  const std::string values = text.substr(list + 1, last - list - 1);
  if (values.find('{') != kNone || std::count(values.begin(), values.end(), '\n') > 0)
    return std::nullopt;
  int depth = 0;
  size_t from = 0, index = 0;
  for (size_t i = 0; i <= values.size(); ++i) {
    if (i < values.size()) depth += (values[i] == '(') - (values[i] == ')');
    if (i < values.size() && (values[i] != ',' || depth > 0)) continue;
    const std::string_view value = Trimmed(std::string_view(values).substr(from, i - from));
    if (!value.empty() && value != "0")
      edit.text += "; " + name + "[" + std::to_string(index) + "] = " + std::string(value);
    from = i + 1, ++index;
  }
  return edit;
}
}  // namespace

std::vector<Rewrite> SetVariableArrays(const std::vector<BuildDiagnostic>& errors,
                                       const VirtualLinks& links, VirtualFiles* files) {
  std::vector<Rewrite> done;
  std::map<std::string, std::map<size_t, Edit>> edits;  // by file and place
  for (const auto& e : errors) {
    if (e.message.find("variable-sized object may not be initialized") == kNone) continue;
    const auto link = links.find(e.file);
    const std::string& file = link == links.end() ? e.file : link->second;
    const auto found = files->find(file);
    if (found == files->end()) continue;
    const size_t place = PlaceOf(found->second, e.line, e.column);
    auto edit = place == kNone
                    ? std::nullopt
                    : EditAt(found->second, BlankCommentsAndStrings(found->second), place);
    if (!edit) continue;
    edits[file][edit->at] = *edit;
    done.push_back({file, e.line, "set an array of variable length behind its declaration"});
  }
  for (auto& [file, places] : edits)
    for (auto at = places.rbegin(); at != places.rend(); ++at)
      (*files)[file].replace(at->first, at->second.length, at->second.text);
  return done;
}

}  // namespace akgen::toolchain
