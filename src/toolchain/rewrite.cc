#include "toolchain/rewrite.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "toolchain/kernel_cores.h"

namespace akgen::toolchain {
namespace {
using base::IsWord;
int LineOf(const std::string& text, size_t at) {
  return 1 + int(std::count(text.begin(), text.begin() + long(at), '\n'));
}

void Blank(std::string& text, size_t from, size_t to) {
  for (size_t i = from; i < to && i < text.size(); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

// End of a raw string that starts at `at` (the R), or npos when there is none.
size_t RawStringEnd(const std::string& t, size_t at) {
  size_t open = t.find('(', at);
  if (open == std::string::npos || open - at > 18) return std::string::npos;
  std::string close = ")" + t.substr(at + 2, open - at - 2) + "\"";
  size_t end = t.find(close, open);
  return end == std::string::npos ? t.size() : end + close.size();
}

size_t QuotedEnd(const std::string& t, size_t at) {
  char quote = t[at];
  for (size_t i = at + 1; i < t.size(); ++i) {
    if (t[i] == '\\')
      ++i;
    else if (t[i] == quote)
      return i + 1;
    else if (t[i] == '\n')
      return i;
  }
  return t.size();
}

// Start of the callee before `<<<`: an optional template argument list and a qualified name.
size_t CalleeStart(const std::string& t, size_t at) {
  auto skip = [&] {
    while (at > 0 && std::isspace(static_cast<unsigned char>(t[at - 1]))) --at;
  };
  skip();
  if (at > 0 && t[at - 1] == '>') {
    int depth = 0,
        brackets = 0;  // what brackets hold compares, it opens no list of template arguments
    while (at > 0) {
      --at;
      if (t[at] == ')') ++brackets;
      if (t[at] == '(') --brackets;
      if (brackets != 0) continue;
      if (t[at] == '>') ++depth;
      if (t[at] == '<' && --depth == 0) break;
    }
    skip();
  }
  while (at > 0 && (IsWord(t[at - 1]) || t[at - 1] == ':')) --at;
  return at;
}

const char* const kLibraryNames[] = {
    "abs",    "acos",       "acosh",    "asin",      "asinh",  "atan",  "atan2",  "atanh",
    "cbrt",   "ceil",       "copysign", "cos",       "cosh",   "div",   "erf",    "erfc",
    "exp",    "exp2",       "expm1",    "fabs",      "fdim",   "floor", "fma",    "fmax",
    "fmin",   "fmod",       "frexp",    "hypot",     "ilogb",  "index", "ldexp",  "lerp",
    "lgamma", "log",        "log10",    "log1p",     "log2",   "logb",  "lrint",  "lround",
    "modf",   "nearbyint",  "pow",      "remainder", "rint",   "round", "scalbn", "sin",
    "sinh",   "sqrt",       "tan",      "tanh",      "tgamma", "trunc", "gamma",  "select",
    "main",   "gather",     "remove",   "rename",    "y0",     "y1",    "j0",     "j1",
    "drem",   "significand"};

bool IsLibraryName(const std::string& name) {
  return std::any_of(std::begin(kLibraryNames), std::end(kLibraryNames),
                     [&](const char* n) { return name == n; });
}

// A function of the C library cannot coexist with <cmath> and the like, so its kernel gets another
// symbol.
std::string SymbolOf(const std::string& name) {
  return IsLibraryName(name) ? "akgen_entry_" + name : name;
}

struct NameAt {
  std::string name;
  size_t at;
  bool templated = false;
};

size_t SkipSpace(const std::string& t, size_t at) {
  while (at < t.size() && std::isspace(static_cast<unsigned char>(t[at]))) ++at;
  return at;
}

size_t SkipBalanced(const std::string& t, size_t at, char open, char close) {
  int depth = 0;
  for (; at < t.size(); ++at) {
    if (t[at] == open) ++depth;
    if (t[at] == close && --depth == 0) return at + 1;
  }
  return at;
}

// The name a __global__ at `at` introduces: the word before the parameter list, past specifiers and
// attributes. Written by hand: brackets nest.
bool NameAfterGlobal(const std::string& code, size_t at, NameAt* out) {
  for (int words = 0; words < 24; ++words) {
    at = SkipSpace(code, at);
    if (at < code.size() && code[at] == '[') {
      at = SkipBalanced(code, at, '[', ']');
      continue;
    }
    size_t start = at;
    while (at < code.size() && IsWord(code[at])) ++at;
    if (at == start) return false;
    std::string word = code.substr(start, at - start);
    size_t next = SkipSpace(code, at);
    if (next >= code.size() || code[next] != '(') continue;
    if (word.size() > 4 && word.compare(0, 2, "__") == 0 &&
        word.compare(word.size() - 2, 2, "__") == 0) {
      at = SkipBalanced(code, next, '(', ')');  // __attribute__((…)), __mix__(…)
      continue;
    }
    *out = {word, start};
    return true;
  }
  return false;
}

// Positions of the `template` whose parameter list ends before `at`: none, or one, or one in each
// branch of an #if.
std::vector<size_t> TemplatesBefore(const std::string& code, size_t at) {
  std::vector<size_t> out;
  for (bool branches = false;;) {
    while (at > 0 && std::isspace(static_cast<unsigned char>(code[at - 1]))) --at;
    const size_t newline = at == 0 ? std::string::npos : code.rfind('\n', at - 1);
    const size_t line = newline == std::string::npos ? 0 : newline + 1;
    if (SkipSpace(code, line) < at && code[SkipSpace(code, line)] == '#') {
      at = line, branches = true;
      continue;
    }
    if (at == 0 || code[at - 1] != '>') break;
    int depth = 0;
    while (at > 0) {
      --at;
      if (code[at] == '>') ++depth;
      if (code[at] == '<' && --depth == 0) break;
    }
    while (at > 0 && std::isspace(static_cast<unsigned char>(code[at - 1]))) --at;
    constexpr size_t kWord = sizeof "template" - 1;
    if (at < kWord || code.compare(at - kWord, kWord, "template") != 0) break;
    out.push_back(at -= kWord);
    if (!branches) break;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// The parts of a list at `open`, split at its commas.
std::vector<std::string> PartsOf(const std::string& code, size_t open, char closing) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (size_t at = open + 1; at < code.size(); ++at) {
    const char c = code[at];
    if (depth == 0 && c == closing) break;
    depth += (c == '(' || c == '<' || c == '[' || c == '{') -
             (c == ')' || c == '>' || c == ']' || c == '}');
    if (depth == 0 && c == ',')
      out.emplace_back();
    else
      out.back() += c;
  }
  if (out.size() == 1 && SkipSpace(out[0], 0) == out[0].size()) out.clear();
  return out;
}

std::string LastWord(std::string text) {
  for (size_t at;
       (at = text.find("[[")) != std::string::npos && text.find("]]", at) != std::string::npos;)
    text.erase(at, text.find("]]", at) + 2 - at);  // [[maybe_unused]]
  text = text.substr(0, text.find_first_of("=["));
  size_t end = text.size();
  while (end > 0 && !IsWord(text[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsWord(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

std::string Trimmed(const std::string& text) {
  const size_t begin = SkipSpace(text, 0);
  size_t end = text.size();
  while (end > begin && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
  return text.substr(begin, end - begin);
}

// A template parameter without its name and default.
std::string TypeOf(std::string parameter) {
  parameter = parameter.substr(0, parameter.find('='));
  const std::string name = LastWord(parameter);
  std::string type = parameter.substr(0, parameter.rfind(name));
  return SkipSpace(type, 0) == type.size() ? parameter : type;
}

std::string MadeSymbol(const std::string& name) { return name + "_of_tiling_key"; }

// What the tiling key stands for, as arguments of the template at `template_at`; `from` is the
// number of the first.
std::string ArgumentsOf(const std::string& code, size_t template_at, const std::string& from) {
  std::string out;
  size_t index = 0;
  for (const std::string& p : PartsOf(code, code.find('<', template_at), '>')) {
    const size_t word = SkipSpace(p, 0);
    const bool type = p.compare(word, 8, "typename") == 0 || p.compare(word, 5, "class") == 0;
    const std::string at = "(" + from + std::to_string(index) + ")";
    out +=
        (index++ ? ", " : "") +
        (type ? "AkgenTplType" + at : "static_cast<" + TypeOf(p) + ">(AkgenTplArgument" + at + ")");
  }
  return out;
}

// An entry that calls the template `name` with what the tiling key stands for. A source that has it
// for several chips, in branches of #if, has `heads` of which only one is compiled: the first that
// takes the arguments is called.
std::string EntryOfTemplate(const std::string& code, const NameAt& name,
                            const std::vector<size_t>& heads) {
  std::string parameters, values;
  const size_t open = SkipSpace(code, name.at + name.name.size());
  for (const std::string& p : PartsOf(code, open, ')')) {
    parameters += (parameters.empty() ? "" : ", ") + p;
    values += (values.empty() ? "" : ", ") + LastWord(p);
  }
  std::replace(parameters.begin(), parameters.end(), '\n', ' ');
  const std::string head = "extern \"C\" __global__ __aicore__ void " + MadeSymbol(name.name) +
                           "(" + parameters + ") { ";
  std::string call = name.name + "<" + ArgumentsOf(code, heads[0], "") + ">(" + values + ");",
              chosen;
  if (heads.size() > 1) {
    const std::string choice = MadeSymbol(name.name) + "_choice";
    auto rank = [](size_t n) { return "AkgenTplRank<" + std::to_string(n) + ">"; };
    for (size_t i = 0; i < heads.size(); ++i) {
      const std::string one =
          name.name + "<" + ArgumentsOf(code, heads[i], "AkgenZero + ") + ">(" + values + ")";
      chosen += "template <unsigned AkgenZero> __aicore__ inline auto " + choice + "(" +
                rank(heads.size() - 1 - i) + ", " + parameters + ") -> decltype(" + one + ") { " +
                one + "; }\n";
    }
    call = choice + "<0>(" + rank(heads.size() - 1) + "(), " + values + ");";
  }
  // A source without the header has its template for another chip, and an entry of this name for
  // this one.
  return "\n#ifdef AKGEN_TPL_KEY\n#ifdef AKGEN_TILING_TEMPLATE_H\n" + chosen + head +
         "AkgenTplKernelType(); " + call + " }\n#else\n" + head + name.name + "(" + values +
         "); }\n#endif\n#endif\n";
}

std::vector<NameAt> EntryNames(const std::string& code) {
  std::vector<NameAt> out;
  constexpr size_t kLength = sizeof "__global__" - 1;
  for (size_t at = code.find("__global__"); at != std::string::npos;
       at = code.find("__global__", at + kLength)) {
    size_t line = code.rfind('\n', at);
    line = line == std::string::npos ? 0 : line + 1;
    bool directive = SkipSpace(code, line) < code.size() && code[SkipSpace(code, line)] == '#';
    NameAt name;
    if (directive || !NameAfterGlobal(code, at + kLength, &name)) continue;
    name.templated = !TemplatesBefore(code, at).empty();
    out.push_back(name);
  }
  return out;
}

// Just after the brace that opens the body of the kernel named at `at`; npos: it is only declared
// there.
size_t BodyOf(const std::string& code, size_t at) {
  const size_t open = code.find('(', at);
  if (open == std::string::npos) return open;
  const size_t body = SkipSpace(code, SkipBalanced(code, open, '(', ')'));
  return body < code.size() && code[body] == '{' ? body + 1 : std::string::npos;
}

// What the author of that kernel could have written into its body instead of a qualifier; "" where
// nothing is to say.
std::string TypeStatement(const std::string& code, size_t at) {
  const size_t word = code.rfind("__global__", at);
  const std::string_view type = TypeByQualifier(code.substr(word, at - word));
  if (type.empty() || BodyOf(code, at) == std::string::npos) return "";
  return " KERNEL_TASK_TYPE_DEFAULT(" + std::string(type) + ");";
}

}  // namespace

std::string BlankCommentsAndStrings(const std::string& text) {
  std::string out = text;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      Blank(out, i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      size_t close = text.find("*/", i + 2);
      end = close == std::string::npos ? text.size() : close + 2;
      Blank(out, i, end);
    } else if (text.compare(i, 2, "R\"") == 0 && (i == 0 || !IsWord(text[i - 1])) &&
               RawStringEnd(text, i) != std::string::npos) {
      end = RawStringEnd(text, i);
      Blank(out, i + 2, end - 1);
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !IsWord(text[i - 1])))) {
      end = QuotedEnd(text, i);
      if (end > i + 2) Blank(out, i + 1, end - 1);
    }
    i = end;
  }
  return out;
}

std::string WithoutCoreAttributes(const std::string& file, const std::string& text,
                                  std::vector<Rewrite>* log) {
  if (text.find("aicore") == std::string::npos) return text;
  std::string out = text;
  const std::string code = BlankCommentsAndStrings(text);
  for (size_t at = code.find("aicore"); at != std::string::npos; at = code.find("aicore", at + 6)) {
    size_t end = SkipSpace(code, at + 6), start = at;
    auto back = [&] {
      while (start > 0 && std::isspace(static_cast<unsigned char>(code[start - 1]))) --start;
    };
    back();
    if (start > 0 && code[start - 1] == ',') {
      --start;
      back();
      if (start < 4 || code.compare(start - 4, 4, "host") != 0) continue;
      start -= 4;
      back();
    }
    if (start == 0 || code[start - 1] != '[' || end >= code.size() || code[end] != ']') continue;
    Blank(out, start - 1, end + 1);
    log->push_back(
        {file, LineOf(code, start), "dropped " + code.substr(start - 1, end + 2 - start)});
  }
  return out;
}

std::string RewriteKernelSource(const std::string& file, const std::string& text,
                                std::vector<Rewrite>* log) {
  if (text.find("aicore") == std::string::npos && text.find("<<<") == std::string::npos)
    return text;
  std::string out = WithoutCoreAttributes(file, text, log), code = BlankCommentsAndStrings(out);
  for (size_t at = code.find("<<<"); at != std::string::npos; at = code.find("<<<", at + 3)) {
    size_t close = code.find(">>>", at), stop = code.find(';', at);
    if (close == std::string::npos || stop == std::string::npos || close > stop) continue;
    size_t start = CalleeStart(code, at);
    Blank(out, start, stop);
    log->push_back(
        {file, LineOf(text, start), "dropped a host launch of " + text.substr(start, at - start)});
  }
  // The key is a constant where each is compiled by itself.
  constexpr std::string_view kConstant = "constexpr", kSpace = " \t\n";
  for (size_t at = code.find("TILING_KEY_IS"); at != std::string::npos;
       at = code.find("TILING_KEY_IS", at + 1)) {
    std::string_view before = std::string_view(code).substr(0, at);
    auto trim = [&] {
      before.remove_suffix(before.size() - (before.find_last_not_of(kSpace) + 1));
    };
    trim();
    if (!before.ends_with('(')) continue;
    before.remove_suffix(1);
    trim();
    if (!before.ends_with(kConstant)) continue;
    const size_t start = before.size() - kConstant.size();
    Blank(out, start, before.size());
    log->push_back({file, LineOf(text, start), "dropped constexpr in front of a tiling key"});
  }
  return out;
}

std::vector<Entry> FindEntries(const std::string& file, const std::string& text) {
  std::vector<Entry> out;
  if (text.find("__global__") == std::string::npos) return out;
  for (const auto& e : EntryNames(BlankCommentsAndStrings(text)))
    out.push_back({e.name, e.templated ? MadeSymbol(e.name) : SymbolOf(e.name), file,
                   LineOf(text, e.at), e.templated});
  return out;
}

namespace {
// Is the place inside the braces of an extern "C" { … }?
bool InExternBlock(const std::string& code, size_t at) {
  int depth = 0;
  for (size_t i = at; i-- > 0;) {
    depth += (code[i] == '}') - (code[i] == '{');
    if (depth < 0) {
      const size_t word = code.rfind("extern", i);
      if (word != std::string::npos && code.find_first_of(";{}", word) == i) return true;
      depth = 0;
    }
  }
  return false;
}

// Does the declaration of the entry whose __global__ is at `word` give it C linkage?
bool HasLinkage(const std::string& code, size_t word) {
  const size_t before = code.find_last_of(";{}#", word);
  const size_t declaration = before == std::string::npos ? 0 : before + 1;
  return code.substr(declaration, word - declaration).find("extern") != std::string::npos ||
         InExternBlock(code, word);
}

}  // namespace

std::vector<EntryDeclaration> DeclaredEntries(const std::string& text) {
  std::vector<EntryDeclaration> out;
  if (text.find("__global__") == std::string::npos) return out;
  const std::string code = BlankCommentsAndStrings(text);
  for (const NameAt& e : EntryNames(code)) {
    if (e.templated) continue;
    const size_t open = SkipSpace(code, e.at + e.name.size());
    EntryDeclaration found{e.name, HasLinkage(code, code.rfind("__global__", e.at)), {}, ""};
    for (const std::string& p : PartsOf(code, open, ')')) found.types.push_back(Trimmed(TypeOf(p)));
    found.list = code.substr(open + 1, SkipBalanced(code, open, '(', ')') - open - 2);
    out.push_back(std::move(found));
  }
  return out;
}

std::string RenameEntries(const std::string& file, const std::string& text,
                          const std::map<std::string, std::string>& wanted,
                          std::vector<Entry>* entries, std::vector<Rewrite>* log) {
  if (text.find("__global__") == std::string::npos) return text;
  std::string code = BlankCommentsAndStrings(text), out = text;
  long shift = 0;
  std::string made;
  std::map<std::string, std::vector<size_t>> heads;
  for (const NameAt& e : EntryNames(code))
    if (e.templated)
      for (const size_t head : TemplatesBefore(code, code.rfind("__global__", e.at)))
        heads[e.name].push_back(head);
  const bool of_cube =
      code.find("__cube__") != std::string::npos || code.find("__mix__") != std::string::npos;
  for (const NameAt& e : EntryNames(code)) {
    const auto& [name, at, templated] = e;
    const std::string type = of_cube ? TypeStatement(code, at) : "";
    const auto say_type = [&] {
      if (type.empty()) return;
      out.insert(size_t(long(BodyOf(code, at)) + shift), type);
      shift += long(type.size());
    };
    if (templated) {
      say_type();
      const bool again = std::any_of(entries->begin(), entries->end(),
                                     [&](const auto& f) { return f.name == name; });
      if (!again) {
        made += EntryOfTemplate(code, e, heads[name]);
        log->push_back({file, LineOf(text, at),
                        "added an entry that calls " + name + " with the tiling key's arguments"});
      }
      entries->push_back({name, MadeSymbol(name), file, LineOf(text, at), true});
      continue;
    }
    // Ascend's toolkit calls an entry by its name, whether its source says extern "C" or not.
    if (const size_t word = code.rfind("__global__", at); !HasLinkage(code, word)) {
      constexpr std::string_view kLinkage = "extern \"C\" ";
      out.insert(size_t(long(word) + shift), kLinkage);
      shift += long(kLinkage.size());
      log->push_back({file, LineOf(text, at), "gave the entry " + name + " C linkage"});
    }
    auto w = wanted.find(name);
    std::string symbol = w != wanted.end() ? w->second : SymbolOf(name);
    if (symbol != name) {
      out.replace(size_t(long(at) + shift), name.size(), symbol);
      shift += long(symbol.size()) - long(name.size());
      log->push_back({file, LineOf(text, at), "renamed the entry " + name + " to " + symbol});
    }
    say_type();
    entries->push_back({name, symbol, file, LineOf(text, at)});
  }
  return out + made;
}

}  // namespace akgen::toolchain
