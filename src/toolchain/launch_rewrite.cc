#include "toolchain/launch_rewrite.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "base/text.h"
#include "toolchain/kernel_cores.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {
using base::IsWord;

bool IsSpace(char c) {
  return std::isspace(static_cast<unsigned char>(c)) || c == '\\';
}  // `\` joins macro lines

// The source with comments blanked and literals filled with `0`: same length, same newlines, safe
// to scan for brackets.
class Mask {
 public:
  explicit Mask(std::string_view source) : in_(source), out_(source) {}

  std::string Run() {
    while (at_ < in_.size()) Step();
    return std::move(out_);
  }

 private:
  bool Starts(std::string_view text) const { return in_.substr(at_).starts_with(text); }

  void Fill(size_t end, char with) {
    end = std::min(end, in_.size());
    for (; at_ < end; ++at_) {
      if (in_[at_] != '\n') out_[at_] = with;
    }
  }

  void Step() {
    char c = in_[at_];
    if (Starts("//")) {
      Fill(LineEnd(), ' ');
    } else if (Starts("/*")) {
      size_t end = in_.find("*/", at_ + 2);
      Fill(end == in_.npos ? in_.size() : end + 2, ' ');
    } else if (c == '"') {
      IsRaw() ? Fill(RawEnd(), '0') : Fill(QuoteEnd('"'), '0');
    } else if (c == '\'' && !IsDigitSeparator()) {
      Fill(QuoteEnd('\''), '0');
    } else {
      ++at_;
    }
  }

  size_t LineEnd() const {  // a line ending in a backslash goes on
    size_t end = at_;
    do {
      end = in_.find('\n', end == at_ ? end : end + 1);
      if (end == in_.npos) return in_.size();
    } while (end > 0 && in_[end - 1] == '\\');
    return end;
  }

  bool IsRaw() const {
    if (at_ == 0 || in_[at_ - 1] != 'R') return false;
    size_t start = at_ - 1;
    while (start > 0 && IsWord(in_[start - 1])) --start;
    std::string_view prefix = in_.substr(start, at_ - start);
    return prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R";
  }

  size_t RawEnd() const {
    size_t open = in_.find('(', at_);
    if (open == in_.npos) return in_.size();
    std::string close = ")" + std::string(in_.substr(at_ + 1, open - at_ - 1)) + "\"";
    size_t end = in_.find(close, open);
    return end == in_.npos ? in_.size() : end + close.size();
  }

  size_t QuoteEnd(char quote) const {
    for (size_t i = at_ + 1; i < in_.size(); ++i) {
      if (in_[i] == '\\') {
        ++i;
      } else if (in_[i] == quote) {
        return i + 1;
      } else if (in_[i] == '\n') {
        return i;  // unterminated: an apostrophe in an #error line or in #if 0 text
      }
    }
    return in_.size();
  }

  bool IsDigitSeparator() const {  // 1'000
    return at_ > 0 && at_ + 1 < in_.size() &&
           std::isxdigit(static_cast<unsigned char>(in_[at_ - 1])) &&
           std::isxdigit(static_cast<unsigned char>(in_[at_ + 1])) && NumberBefore();
  }

  bool NumberBefore() const {
    size_t start = at_;
    while (start > 0 && (IsWord(in_[start - 1]) || in_[start - 1] == '\'')) --start;
    return std::isdigit(static_cast<unsigned char>(in_[start]));
  }

  std::string_view in_;
  std::string out_;
  size_t at_ = 0;
};

// One launch: offsets into the source.
struct Launch {
  size_t callee = 0;      // first character of the callee
  size_t config = 0;      // just after <<<
  size_t config_end = 0;  // at >>>
  size_t args = 0;        // just after (
  size_t args_end = 0;    // at )
  size_t open = 0;        // at <<<
};

class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  std::optional<Launch> Parse(size_t open) const {
    Launch launch;
    launch.open = open;
    launch.config = open + 3;
    auto callee = CalleeStart(open);
    auto close = ConfigEnd(launch.config);
    if (!callee || !close) return std::nullopt;
    launch.callee = *callee;
    launch.config_end = *close;
    launch.args = SkipSpace(*close + 3) + 1;
    auto end = Matching(launch.args - 1);
    if (!end) return std::nullopt;
    launch.args_end = *end;
    return launch;
  }

  size_t SkipSpace(size_t i) const {
    while (i < text_.size() && IsSpace(text_[i])) ++i;
    return i;
  }

  // Offset of the bracket that closes the one at `open`.
  std::optional<size_t> Matching(size_t open) const {
    int depth = 0;
    for (size_t i = open; i < text_.size(); ++i) {
      if (Opens(text_[i])) ++depth;
      if (Closes(text_[i]) && --depth == 0) return i;
    }
    return std::nullopt;
  }

 private:
  static bool Opens(char c) { return c == '(' || c == '[' || c == '{'; }
  static bool Closes(char c) { return c == ')' || c == ']' || c == '}'; }

  // One past the last character before `end` that is not space.
  size_t SpaceBack(size_t end) const {
    while (end > 0 && IsSpace(text_[end - 1])) --end;
    return end;
  }

  // `end` is one past a closing bracket: the offset of its partner.
  std::optional<size_t> MatchBack(size_t end) const {
    int depth = 0;
    for (size_t i = end; i-- > 0;) {
      if (Closes(text_[i])) ++depth;
      if (Opens(text_[i]) && --depth == 0) return i;
    }
    return std::nullopt;
  }

  // `end` is one past the `>` of a template argument list: the offset of its `<`. Brackets inside
  // are skipped whole, so comparisons in parentheses do no harm; `->` is no bracket.
  std::optional<size_t> AngleBack(size_t end) const {
    int depth = 0;
    for (size_t i = end; i > 0;) {
      char c = text_[i - 1];
      if (Closes(c)) {
        auto open = MatchBack(i);
        if (!open) return std::nullopt;
        i = *open;
        continue;
      }
      if (Opens(c) || c == ';') return std::nullopt;
      --i;
      if (c == '>' && !(i > 0 && text_[i - 1] == '-')) ++depth;
      if (c == '<' && --depth == 0) return i;
    }
    return std::nullopt;
  }

  // Walks back over `a::b<T>::template c<U>`, a macro or function call, `a[i]`, `a.b`, `a->b` or an
  // expression in parentheses.
  std::optional<size_t> CalleeStart(size_t end) const {
    size_t at = SpaceBack(end);
    while (true) {
      if (at > 0 && text_[at - 1] == '>') {
        auto open = AngleBack(at);
        if (!open) return std::nullopt;
        at = SpaceBack(*open);
      } else if (at > 0 && text_[at - 1] == ']') {
        auto open = MatchBack(at);
        if (!open) return std::nullopt;
        at = SpaceBack(*open);
        continue;
      } else if (at > 0 && text_[at - 1] == ')') {
        auto open = MatchBack(at);
        if (!open) return std::nullopt;
        if (size_t word = SpaceBack(*open); word == 0 || !IsWord(text_[word - 1])) return open;
        at = SpaceBack(*open);
      }
      size_t word = at;
      while (word > 0 && IsWord(text_[word - 1])) --word;
      if (word == at) return std::nullopt;
      at = word;
      if (size_t t = SpaceBack(at); t < at && EndsWithWord(t, "template")) at = t - 8;
      size_t colon = SpaceBack(at);
      if (size_t object = ObjectEnd(colon); object < colon) {
        at = object;
        continue;
      }
      if (colon < 2 || text_[colon - 1] != ':' || text_[colon - 2] != ':') return at;
      at = SpaceBack(colon - 2);
      if (at == 0 || (!IsWord(text_[at - 1]) && text_[at - 1] != '>'))
        return colon - 2;  // leading ::
      if (IsKeywordBefore(at)) return colon - 2;
    }
  }

  // `end` is one past a `.` or a `->`: one past the object before it, else `end`.
  size_t ObjectEnd(size_t end) const {
    const std::string_view text = std::string_view(text_).substr(0, end);
    const size_t sign = text.ends_with("->")                           ? 2
                        : text.ends_with('.') && !text.ends_with("..") ? 1
                                                                       : 0;
    return sign ? SpaceBack(end - sign) : end;
  }

  bool EndsWithWord(size_t end, std::string_view word) const {
    return end >= word.size() &&
           std::string_view(text_).substr(end - word.size(), word.size()) == word &&
           (end == word.size() || !IsWord(text_[end - word.size() - 1]));
  }

  bool IsKeywordBefore(size_t end) const {
    return EndsWithWord(end, "return") || EndsWithWord(end, "else") || EndsWithWord(end, "do");
  }

  // The `>>>` that ends the configuration. `f<g<h<1>>>(x)` inside it also reads `>>>`, hence the
  // bracket count.
  std::optional<size_t> ConfigEnd(size_t from) const {
    std::optional<size_t> last;
    int angles = 0;
    for (size_t i = from; i < text_.size(); ++i) {
      char c = text_[i];
      if (Opens(c)) {
        auto close = Matching(i);
        if (!close) return last;
        i = *close;
      } else if (Closes(c) || c == ';') {
        return last;
      } else if (c == '<' && i > from && IsWord(text_[i - 1])) {
        ++angles;
      } else if (c == '>' && text_[i - 1] != '-') {
        bool triple = std::string_view(text_).substr(i, 3) == ">>>";
        if (triple && SkipSpace(i + 3) < text_.size() && text_[SkipSpace(i + 3)] == '(') {
          last = i;
          if (angles <= 0) return last;
        }
        --angles;
      }
    }
    return last;
  }

  const std::string& text_;
};

// The name of a kernel, without namespaces and template arguments.
std::string_view NameOf(std::string_view callee) {
  const size_t angle = callee.find('<');
  std::string_view name = callee.substr(0, angle);
  while (!name.empty() && !IsWord(name.back())) name.remove_suffix(1);
  size_t first = name.size();
  while (first > 0 && IsWord(name[first - 1])) --first;
  name.remove_prefix(first);
  return name;
}

// What may hold a kernel's address: a variable's name, alone or dereferenced, an element or a
// member, what a function gives, what is chosen of several. Text "": nothing of that kind. The text
// is one line.
constexpr uint32_t kCoresOfAddress =
    0xffffffff;  // nothing says which cores it starts: kAkgenCoresOfPointer
struct Address {
  std::string text;
  bool chosen = false;  // kernels by their names, too
};
Address AddressOf(std::string_view callee) {
  const auto trim = [&] {
    while (!callee.empty() && IsSpace(callee.front())) callee.remove_prefix(1);
    while (!callee.empty() && IsSpace(callee.back())) callee.remove_suffix(1);
  };
  trim();
  if (callee.starts_with("(*") && callee.ends_with(")")) {
    const std::string_view name = callee.substr(2, callee.size() - 3);
    if (std::all_of(name.begin(), name.end(), [](char c) { return IsWord(c) || IsSpace(c); }))
      callee = name, trim();
  }
  if (std::all_of(callee.begin(), callee.end(), IsWord)) return {std::string(callee)};
  const bool chosen = callee.starts_with("(") && callee.find('?') != callee.npos;
  if (!chosen && (callee.find_first_of("()[].") == callee.npos || callee.find('<') != callee.npos))
    return {};
  Address out{std::string(callee), chosen};
  std::replace_if(out.text.begin(), out.text.end(), IsSpace, ' ');
  return out;
}

// What each of these kernels starts, for one of them that a constant holds.
uint32_t CoresOfAny(const std::string& mask, const std::vector<Entry>& kernels) {
  const uint32_t first = kernels.empty() ? kCoresOfAddress : CoresIn(mask, kernels[0].name);
  const auto alike = [&](const Entry& k) { return CoresIn(mask, k.name) == first; };
  return std::all_of(kernels.begin(), kernels.end(), alike) ? first : kCoresOfAddress;
}

std::string Excerpt(std::string_view source, size_t at) {
  size_t begin = source.rfind('\n', at);
  begin = begin == source.npos ? 0 : begin + 1;
  std::string line(source.substr(begin, source.find('\n', at) - begin));
  return line.substr(0, 120);
}

base::Error Unreadable(std::string_view source, std::string_view name, size_t at) {
  size_t line = 1 + size_t(std::count(source.begin(), source.begin() + ptrdiff_t(at), '\n'));
  return {"AK2201", "cannot read the kernel launch `" + Excerpt(source, at) + "`",
          std::string(name) + ":" + std::to_string(line),
          "write kernel<<<blocks, dynamicUbBytes, stream>>>(arguments)"};
}

// NULL and a literal 0 would lose their power to become any pointer when they pass through a
// template.
std::string NeutralZero(std::string_view argument) {
  size_t begin = 0, end = argument.size();
  while (begin < end && IsSpace(argument[begin])) ++begin;
  while (end > begin && IsSpace(argument[end - 1])) --end;
  std::string_view core = argument.substr(begin, end - begin);
  if (core != "NULL" && core != "0") return std::string(argument);
  return std::string(argument.substr(0, begin)) + "::akgen_launch_zero{}" +
         std::string(argument.substr(end));
}

bool IsPointer(std::string_view type) {
  return type.find_first_of("*&") != type.npos || type.find("GM_ADDR") != type.npos;
}

// The arguments, split at top-level commas. Template arguments need no care: a piece is only looked
// at whole. What is no pointer may be a structure, which the toolkit takes by its address too:
// akgen_structure knows by its type.
std::string Arguments(const std::string& mask, std::string_view source, const Launch& launch,
                      const std::vector<std::string>& types) {
  std::string out;
  size_t index = 0;
  size_t start = launch.args;
  int depth = 0;
  for (size_t i = launch.args; i <= launch.args_end; ++i) {
    char c = mask[i];
    if (i == launch.args_end || (c == ',' && depth == 0)) {
      const std::string argument = NeutralZero(source.substr(start, i - start));
      out += index < types.size() && !IsPointer(types[index])
                 ? "::akgen_structure(" + argument + ")"
                 : argument;
      ++index;
      if (i < launch.args_end) out += ',';
      start = i + 1;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return out;
}

}  // namespace

uint32_t CoresOf(std::string_view source, std::string_view kernel) {
  return CoresIn(Mask(source).Run(), kernel);
}

bool HasLaunch(std::string_view source) {
  if (source.find("<<<") == source.npos) return false;
  return Mask(source).Run().find("<<<") != std::string::npos;
}

base::Result<LaunchRewrite> RewriteLaunches(std::string_view source, std::string_view name) {
  LaunchRewrite result;
  if (source.find("<<<") == source.npos) {
    result.text = source;
    return result;
  }
  std::string mask = Mask(source).Run();
  Scanner scanner(mask);
  const std::vector<EntryDeclaration> kernels = DeclaredEntries(std::string(source));
  const uint32_t of_any = CoresOfAny(mask, FindEntries("", std::string(source)));
  size_t copied = 0;
  for (size_t open = mask.find("<<<"); open != mask.npos; open = mask.find("<<<", copied)) {
    auto launch = scanner.Parse(open);
    if (!launch || launch->callee < copied) return Unreadable(source, name, open);
    auto piece = [&](size_t from, size_t to) { return source.substr(from, to - from); };
    result.text += piece(copied, launch->callee);
    const std::string_view kernel = NameOf(piece(launch->callee, launch->open));
    const auto declared = std::find_if(kernels.begin(), kernels.end(),
                                       [&](const EntryDeclaration& k) { return k.name == kernel; });
    Address address = AddressOf(piece(launch->callee, launch->open));
    if (declared != kernels.end() && !address.chosen)
      address = {};  // a kernel's own name, or a macro of it
    const uint32_t cores = address.chosen ? kCoresOfAddress : CoresIn(mask, kernel);
    // Which launch it is: by its line, where a macro that has it is used, and its number in the
    // source.
    const std::string before =
        result.launches ? " + " + std::to_string(result.launches) + " * 65536u" : "";
    result.text += "::akgen_launch<" + std::to_string(cores) + "u, __LINE__" + before + ">(";
    if (!address.text.empty()) result.text += "::akgen_callee<" + std::to_string(of_any) + "u>(";
    result.text += "[&](auto... akgen_args) { ";
    result.text += piece(launch->callee, launch->open);
    result.text += "(akgen_args...); }";
    if (!address.text.empty())
      result.text += ", [&](auto... akgen_args) -> decltype(::akgen_" +
                     std::string(address.chosen ? "chosen(" : "pointer(") + address.text +
                     ", akgen_args...)) { return " + address.text + "; }" +
                     ", [&](auto... akgen_args) -> "
                     "decltype(char{::akgen_known<void(decltype(akgen_args)...)>(" +
                     address.text + ")}) { return 0; })";
    result.text += ", ";
    result.text += piece(launch->config, launch->config_end);
    result.text += ")";
    result.text += piece(launch->config_end + 3, launch->args);
    result.text +=
        Arguments(mask, source, *launch,
                  declared != kernels.end() ? declared->types : std::vector<std::string>{});
    copied = launch->args_end;
    ++result.launches;
  }
  result.text += source.substr(copied);
  return result;
}

}  // namespace akgen::toolchain
