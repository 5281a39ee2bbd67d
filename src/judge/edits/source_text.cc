#include "judge/edits/source_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "toolchain/rewrite.h"

namespace akgen::judge {
namespace {
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr size_t kNowhere = std::string::npos;
}  // namespace

SourceText::SourceText(std::string file, std::string text)
    : file_(std::move(file)),
      text_(std::move(text)),
      code_(toolchain::BlankCommentsAndStrings(text_)),
      lines_{0} {
  for (size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(i + 1);
  FindStatements();
}

// Brackets () and [] hide semicolons: those of a for are none of a statement. Braces inside them,
// or behind what is no ) else or do, are initialisers.
void SourceText::FindStatements() {
  size_t begin = 0;
  int depth = 0;
  bool directive = false;
  for (size_t i = 0; i < code_.size(); ++i) {
    const char c = code_[i];
    if (c == '#') directive = true;
    if (c == '\n' && directive && (i == 0 || code_[i - 1] != '\\'))
      directive = false, begin = i + 1;
    if (directive) continue;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth > 0) continue;
    if (c == '{' || c == '}') {
      size_t before = i;
      while (before > begin && IsBlank(code_[before - 1])) --before;
      const bool initialiser = c == '{' && before > begin &&
                               (base::IsWord(code_[before - 1]) || code_[before - 1] == '=') &&
                               Matching(i) != kNowhere &&
                               code_.find_first_of(";{", i + 1) > Matching(i);
      if (initialiser) {
        i = Matching(i);
        continue;
      }
      begin = i + 1;
    }
    if (c != ';') continue;
    while (begin < i && IsBlank(code_[begin])) ++begin;
    if (begin < i) statements_.push_back({begin, i + 1});
    begin = i + 1;
  }
}

size_t SourceText::Matching(size_t open) const {
  int depth = 0;
  for (size_t i = open; i < code_.size(); ++i) {
    depth += code_[i] == '(' || code_[i] == '[' || code_[i] == '{';
    depth -= code_[i] == ')' || code_[i] == ']' || code_[i] == '}';
    if (depth == 0) return i;
  }
  return kNowhere;
}

std::optional<TextSpan> SourceText::StatementAt(int line) const {
  if (line < 1 || size_t(line) > lines_.size()) return std::nullopt;
  const size_t from = lines_[size_t(line) - 1],
               to = size_t(line) < lines_.size() ? lines_[size_t(line)] : text_.size();
  std::optional<TextSpan> found;
  for (const TextSpan& s : statements_)
    if (s.begin < to && s.end > from) found = s;
  return found;
}

std::vector<TextSpan> SourceText::StatementsIn(TextSpan span) const {
  std::vector<TextSpan> out;
  for (const TextSpan& s : statements_)
    if (s.begin >= span.begin && s.end <= span.end) out.push_back(s);
  return out;
}

std::optional<TextSpan> SourceText::BodyAround(size_t at) const {
  std::optional<TextSpan> best;
  for (size_t open = code_.find('{'); open < at && open != kNowhere;
       open = code_.find('{', open + 1)) {
    const size_t close = Matching(open);
    if (close == kNowhere || close <= at) continue;
    size_t before = open;
    while (before > 0 && IsBlank(code_[before - 1])) --before;
    if (before == 0 || code_[before - 1] != ')') continue;
    // Of a control statement it is none: the word before its ( is a keyword.
    size_t i = before - 1;
    for (int depth = 1; i > 0 && depth > 0;) {
      --i;
      depth += code_[i] == ')';
      depth -= code_[i] == '(';
    }
    while (i > 0 && IsBlank(code_[i - 1])) --i;
    size_t word = i;
    while (word > 0 && base::IsWord(code_[word - 1])) --word;
    static constexpr std::array<std::string_view, 5> kControl{"if", "for", "while", "switch",
                                                              "constexpr"};
    if (std::find(kControl.begin(), kControl.end(),
                  std::string_view(code_).substr(word, i - word)) != kControl.end())
      continue;
    best = TextSpan{open + 1, close};
  }
  return best;
}

std::optional<size_t> SourceText::LoopIn(TextSpan span) const {
  std::optional<size_t> first;
  for (std::string_view word : {"for", "while"})
    for (const TextSpan& at : WordsIn(span, word))
      first = std::min(first.value_or(at.begin), at.begin);
  return first;
}

std::vector<TextSpan> SourceText::WordsIn(TextSpan span, std::string_view word) const {
  std::vector<TextSpan> out;
  for (size_t at = code_.find(word, span.begin); at < span.end;
       at = code_.find(word, at + word.size()))
    if ((at == 0 || !base::IsWord(code_[at - 1])) &&
        (at + word.size() >= code_.size() || !base::IsWord(code_[at + word.size()])))
      out.push_back({at, at + word.size()});
  return out;
}

bool SourceText::Mentions(TextSpan span, std::string_view word) const {
  return !WordsIn(span, word).empty();
}

std::vector<TextCall> SourceText::CallsIn(TextSpan span) const {
  std::vector<TextCall> out;
  for (size_t open = code_.find('(', span.begin); open < span.end;
       open = code_.find('(', open + 1)) {
    const size_t close = Matching(open);
    if (close == kNowhere) continue;
    TextCall call;
    size_t i = open;
    while (i > 0 && code_[i - 1] == ' ') --i;
    if (i > 0 && code_[i - 1] == '>') {
      int depth = 0;
      do {
        --i;
        depth += code_[i] == '>';
        depth -= code_[i] == '<';
      } while (i > span.begin && depth > 0);
      call.templates = {i + 1, code_.rfind('>', open)};
    }
    const size_t name_end = i;
    while (i > 0 && base::IsWord(code_[i - 1])) --i;
    if (i == name_end) continue;
    call.name = code_.substr(i, name_end - i);
    size_t j = i;
    if (j >= 10 && code_.compare(j - 9, 9, "template ") == 0) j -= 9;
    if (j > 0 && code_[j - 1] == '.') {
      const size_t end = --j;
      while (j > 0 && base::IsWord(code_[j - 1])) --j;
      call.object = code_.substr(j, end - j);
    }
    call.whole = {call.object.empty() ? i : j, close + 1};
    int depth = 0;
    size_t begin = open + 1;
    for (size_t k = open + 1; k <= close; ++k) {
      const char c = code_[k];
      if (k == close || (c == ',' && depth == 0)) {
        TextSpan one{begin, k};
        while (one.begin < one.end && IsBlank(code_[one.begin])) ++one.begin;
        while (one.end > one.begin && IsBlank(code_[one.end - 1])) --one.end;
        if (one.begin < one.end) call.arguments.push_back(one);
        begin = k + 1;
      }
      depth += c == '(' || c == '[' || c == '{';
      depth -= c == ')' || c == ']' || c == '}';
    }
    out.push_back(std::move(call));
  }
  return out;
}

std::string SourceText::ElementOf(std::string_view type, std::string_view name) const {
  for (const TextSpan& s : statements_) {
    for (const TextSpan& word : WordsIn(s, type)) {
      const size_t open = word.end, close = code_.find('>', open);
      if (open >= s.end || code_[open] != '<' || close >= s.end) continue;
      if (Mentions({close, s.end}, name)) return code_.substr(open + 1, close - open - 1);
    }
  }
  return "";
}

std::string SourceText::IndentOf(size_t at) const {
  const size_t line = *std::prev(std::upper_bound(lines_.begin(), lines_.end(), at));
  size_t end = line;
  while (end < at && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  return text_.substr(line, end - line);
}

record::Edit SourceText::Replace(TextSpan span, std::string text) const {
  const auto place = [&](size_t at) {
    const auto line = std::prev(std::upper_bound(lines_.begin(), lines_.end(), at));
    return std::pair<int, int>(int(line - lines_.begin()) + 1, int(at - *line) + 1);
  };
  const auto [line, column] = place(span.begin);
  const auto [end_line, end_column] = place(span.end);
  return {file_, line, column, end_line, end_column, std::move(text)};
}

record::Edit SourceText::Before(size_t at, const std::string& code) const {
  return Replace({at, at}, code + "\n" + IndentOf(at));
}

record::Edit SourceText::Behind(size_t end, const std::string& code) const {
  return Replace({end, end}, "\n" + IndentOf(end - 1) + code);
}

record::Edit SourceText::Without(TextSpan s) const {
  size_t begin = s.begin, end = s.end;
  while (begin > 0 && (text_[begin - 1] == ' ' || text_[begin - 1] == '\t')) --begin;
  if ((begin == 0 || text_[begin - 1] == '\n') && end < text_.size() && text_[end] == '\n')
    return Replace({begin, end + 1}, "");
  return Replace(s, "");
}

}  // namespace akgen::judge
