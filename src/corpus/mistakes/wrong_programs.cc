#include "corpus/mistakes/wrong_programs.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "corpus/compose/random.h"
#include "craft/craft.h"

namespace akgen::corpus {
using base::Json;

namespace {
constexpr const char* kFile = "program.py";

struct Word {
  size_t begin, end;
  std::string text;
};

// Names and numbers of a text; strings and comments have none.
std::vector<Word> WordsOf(const std::string& s, bool names) {
  std::vector<Word> out;
  for (size_t i = 0; i < s.size();) {
    if (s[i] == '#') {
      i = std::min(s.find('\n', i), s.size());
    } else if (s[i] == '"' || s[i] == '\'') {
      i = std::min(s.find(s[i], i + 1), s.size() - 1) + 1;
    } else if (std::isalnum(static_cast<unsigned char>(s[i])) || s[i] == '_') {
      size_t end = i;
      while (end < s.size() && (std::isalnum(static_cast<unsigned char>(s[end])) || s[end] == '_'))
        ++end;
      if (names == !std::isdigit(static_cast<unsigned char>(s[i])))
        out.push_back({i, end, s.substr(i, end - i)});
      i = end;
    } else {
      ++i;
    }
  }
  return out;
}

std::vector<size_t> PlacesOf(const std::string& s, const std::string& of) {
  std::vector<size_t> out;
  for (size_t i = 0; i < s.size(); ++i)
    if (of.find(s[i]) != std::string::npos) out.push_back(i);
  return out;
}

std::vector<Word> TokenLinesOf(const std::string& s) {
  std::vector<Word> out;
  for (size_t at = 0; at < s.size();) {
    size_t end = std::min(s.find('\n', at), s.size());
    if (s.find_first_not_of(' ', at) < end) out.push_back({at, end, s.substr(at, end - at)});
    at = end + 1;
  }
  return out;
}

// The arguments of a call whose bracket opens at `open`.
std::vector<Word> ArgumentsAt(const std::string& s, size_t open) {
  std::vector<Word> out;
  int depth = 0;
  size_t from = open + 1;
  for (size_t i = open; i < s.size(); ++i) {
    if (s[i] == '(' || s[i] == '[') ++depth;
    if (s[i] == ')' || s[i] == ']') --depth;
    if (depth == 0 || (depth == 1 && s[i] == ',')) {
      if (i > from) out.push_back({from, i, s.substr(from, i - from)});
      from = i + 1;
    }
    if (depth == 0) break;
  }
  return out;
}

std::string With(const std::string& s, size_t begin, size_t end, const std::string& text) {
  return s.substr(0, begin) + text + s.substr(end);
}

using Slip = std::optional<std::string> (*)(const std::string&, Random&);

std::optional<std::string> LoseLine(const std::string& s, Random& r) {
  auto lines = TokenLinesOf(s);
  const Word& w = lines[r.Below(lines.size())];
  return With(s, w.begin, std::min(w.end + 1, s.size()), "");
}

std::optional<std::string> MisspellName(const std::string& s, Random& r) {
  auto words = WordsOf(s, true);
  std::erase_if(words, [](const Word& w) { return w.text.size() < 3; });
  if (words.empty()) return {};
  const Word& w = words[r.Below(words.size())];
  size_t at = 1 + r.Below(w.text.size() - 1);
  return With(s, w.begin + at, w.begin + at + 1, "");
}

std::optional<std::string> TakeOtherName(const std::string& s, Random& r) {
  auto words = WordsOf(s, true);
  const Word &w = words[r.Below(words.size())], &other = words[r.Below(words.size())];
  return With(s, w.begin, w.end, other.text);
}

std::optional<std::string> LoseArgument(const std::string& s, Random& r) {
  auto opens = PlacesOf(s, "(");
  auto args = ArgumentsAt(s, opens[r.Below(opens.size())]);
  if (args.empty()) return {};
  size_t i = r.Below(args.size());
  return args.size() == 1 ? With(s, args[0].begin, args[0].end, "")
         : i == 0         ? With(s, args[0].begin, args[1].begin, "")
                          : With(s, args[i - 1].end, args[i].end, "");
}

std::optional<std::string> RepeatArgument(const std::string& s, Random& r) {
  auto opens = PlacesOf(s, "(");
  auto args = ArgumentsAt(s, opens[r.Below(opens.size())]);
  if (args.empty()) return {};
  const Word& a = args[r.Below(args.size())];
  return With(s, a.end, a.end, ", " + a.text);
}

std::optional<std::string> LoseSign(const std::string& s, Random& r) {
  auto places = PlacesOf(s, "()[]:,=");
  size_t at = places[r.Below(places.size())];
  return With(s, at, at + 1, "");
}

std::optional<std::string> Indent(const std::string& s, Random& r) {
  auto lines = TokenLinesOf(s);
  const Word& w = lines[r.Below(lines.size())];
  if (r.Chance(50) && w.text.starts_with("    ")) return With(s, w.begin, w.begin + 4, "");
  return With(s, w.begin, w.begin, "    ");
}

std::optional<std::string> TakeOtherDtype(const std::string& s, Random& r) {
  static const std::vector<std::string> kDtypes = {"f16", "f32", "bf16", "i32", "i8", "u8", "i64"};
  auto words = WordsOf(s, true);
  std::erase_if(words, [](const Word& w) {
    return std::find(kDtypes.begin(), kDtypes.end(), w.text) == kDtypes.end();
  });
  if (words.empty()) return {};
  const Word& w = words[r.Below(words.size())];
  return With(s, w.begin, w.end, kDtypes[r.Below(kDtypes.size())]);
}

// Functions of libraries that a model has seen far more of.
std::optional<std::string> CallAnother(const std::string& s, Random& r) {
  static const char* const kLibraries[] = {"torch.", "np.", "tl.", "math."};
  auto words = WordsOf(s, true);
  std::erase_if(words, [&](const Word& w) {
    return w.end >= s.size() || s[w.end] != '(' ||
           (w.begin >= 4 && s.compare(w.begin - 4, 4, "def ") == 0);
  });
  if (words.empty()) return {};
  const Word& w = words[r.Below(words.size())];
  return With(s, w.begin, w.begin, kLibraries[r.Below(4)]);
}

std::optional<std::string> ChangeNumber(const std::string& s, Random& r) {
  auto words = WordsOf(s, false);
  if (words.empty()) return {};
  const Word& w = words[r.Below(words.size())];
  static const char* const kNumbers[] = {"-1", "0", "1.5", "3"};
  auto of_number = [&](size_t at) {
    return std::isdigit(static_cast<unsigned char>(s[at])) || s[at] == '.';
  };
  size_t begin = w.begin, end = w.end;  // of 0.5 the words are 0 and 5
  while (begin > 0 && of_number(begin - 1)) --begin;
  while (end < s.size() && of_number(end)) ++end;
  return With(s, begin, end, kNumbers[r.Below(4)]);
}

struct Row {
  const char *klass, *what;
  Slip make;
};
constexpr Row kRows[] = {
    {"lost_line", "a line is gone", LoseLine},
    {"misspelt_name", "a name lacks a letter", MisspellName},
    {"other_name", "another name of the program stands there", TakeOtherName},
    {"lost_argument", "a call lacks an argument", LoseArgument},
    {"repeated_argument", "a call has an argument twice", RepeatArgument},
    {"lost_sign", "a bracket, colon, comma or equals sign is gone", LoseSign},
    {"wrong_indentation", "a line is one step too far in or out", Indent},
    {"wrong_dtype", "another dtype stands there", TakeOtherDtype},
    {"foreign_function", "a function of another library is called", CallAnother},
    {"wrong_number", "another number stands there", ChangeNumber},
};

mutate::FaultLabel LabelOf(const Row& row, const std::string& right, const std::string& wrong) {
  size_t at = 0;
  while (at < right.size() && at < wrong.size() && right[at] == wrong[at]) ++at;
  auto line = [&](const std::string& s) {
    size_t begin = at == 0 ? 0 : s.rfind('\n', at - 1) + 1;
    return begin >= s.size() ? std::string() : s.substr(begin, s.find('\n', begin) - begin);
  };
  const auto lines_before = std::count(right.begin(), right.begin() + static_cast<long>(at), '\n');
  return {row.klass,   row.what,
          kFile,       1 + int(lines_before),
          line(right), row.make == LoseLine ? "" : line(wrong),
          "",          {}};
}
}  // namespace

std::vector<Mistake> WrongPrograms(const std::string& program, const craft::Target& target,
                                   size_t count, uint64_t seed) {
  std::vector<Mistake> out;
  std::set<std::string> seen{program};
  Random random(seed, count);
  for (size_t i = 0; i < count; ++i) {
    const Row& row = kRows[random.Below(std::size(kRows))];
    auto text = row.make(program, random);
    if (!text || !seen.insert(*text).second) continue;
    Mistake m{LabelOf(row, program, *text), *text, "pass", "", {}};
    const auto diagnostics = craft::Compile(*text, target).diagnostics;
    for (const auto& d : diagnostics.list()) {
      record::Finding f;
      f.code = d.code, f.message = d.message, f.fix = d.fix;
      f.place = {kFile, d.place.line, "", "", -1};
      m.findings.push_back(f);
    }
    if (!m.findings.empty())
      m.verdict = "refused", m.reason = m.findings[0].code + ": " + m.findings[0].message;
    out.push_back(std::move(m));
  }
  return out;
}

Lesson LessonOfProgram(const Lesson& composed, const craft::Target& target, size_t count,
                       uint64_t seed) {
  const std::string& program = composed.program;
  Lesson out;
  out.record = composed.whole;
  out.file = kFile, out.right = program;
  out.mistakes = WrongPrograms(program, target, count, seed);
  out.record["kernel"] = kFile;
  out.record["files"] = {{kFile, program}};
  out.record["source"] = "slips made in programs composed by akgen";
  return out;
}

}  // namespace akgen::corpus
