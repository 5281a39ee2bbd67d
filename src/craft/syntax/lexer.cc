#include "craft/syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace akgen::craft {
namespace {

class Lexer {
 public:
  Lexer(const std::string& source, Diagnostics& diagnostics) : s_(source), diag_(diagnostics) {}

  std::vector<Token> Run() {
    while (at_ < s_.size()) {
      if (line_start_ && depth_ == 0) {
        if (!Indentation()) continue;
      }
      Next();
    }
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::kNewline)
      Push(TokenKind::kNewline, "", 0);
    while (indents_.size() > 1) {
      indents_.pop_back();
      Push(TokenKind::kDedent, "", 0);
    }
    Push(TokenKind::kEnd, "", 0);
    return std::move(tokens_);
  }

 private:
  Place Here(size_t length = 1) const {
    return {line_, static_cast<int>(at_ - line_begin_) + 1,
            static_cast<int>(std::max<size_t>(1, length))};
  }
  void Push(TokenKind kind, std::string text, size_t length) {
    tokens_.push_back({kind, std::move(text), Here(length)});
    at_ += length;
  }
  void NewLine() {
    ++at_;
    ++line_;
    line_begin_ = at_;
    line_start_ = true;
  }

  // The first line that does not stand where it should: those behind it follow from it.
  void Misplaced(Place place, const char* what, const char* fix) {
    if (!misplaced_) diag_.Add("AK1508", place, what, fix);
    misplaced_ = true;
  }

  // The white space a line begins with. False: an empty line, skipped.
  bool Indentation() {
    size_t width = 0;
    while (at_ + width < s_.size() && (s_[at_ + width] == ' ' || s_[at_ + width] == '\t')) ++width;
    if (at_ + width >= s_.size() || s_[at_ + width] == '\n' || s_[at_ + width] == '#' ||
        s_[at_ + width] == '\r') {
      at_ += width;
      while (at_ < s_.size() && s_[at_] != '\n') ++at_;
      if (at_ < s_.size()) NewLine();
      return false;
    }
    if (s_.substr(at_, width).find('\t') != std::string::npos)
      Misplaced(Here(width), "a line is indented with a tab", "indent with four spaces");
    at_ += width;
    line_start_ = false;
    constexpr size_t kDeepest = 32;
    if (width > indents_.back()) {
      if (indents_.size() > kDeepest) {
        diag_.Add("AK1508", Here(), "blocks are nested too deeply", "at most 32 levels");
        return true;
      }
      indents_.push_back(width);
      Push(TokenKind::kIndent, "", 0);
    }
    while (width < indents_.back()) {
      indents_.pop_back();
      Push(TokenKind::kDedent, "", 0);
      if (width > indents_.back()) {
        Misplaced(Here(), "the indentation fits no block around this line",
                  "align it with the line above");
        indents_.push_back(width);
      }
    }
    return true;
  }

  void Next() {
    char c = s_[at_];
    if (c == '\n') return LineEnd();
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      while (at_ < s_.size() && s_[at_] != '\n') ++at_;
    } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      size_t n = 1;
      while (at_ + n < s_.size() &&
             (std::isalnum(static_cast<unsigned char>(s_[at_ + n])) || s_[at_ + n] == '_'))
        ++n;
      std::string word = s_.substr(at_, n);
      Push(IsKeyword(word) ? TokenKind::kKeyword : TokenKind::kName, word, n);
    } else if (std::isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && at_ + 1 < s_.size() &&
                std::isdigit(static_cast<unsigned char>(s_[at_ + 1])))) {
      Number();
    } else if (c == '"' || c == '\'') {
      String(c);
    } else {
      Operator();
    }
  }

  void LineEnd() {
    if (depth_ == 0) {
      if (!tokens_.empty() && tokens_.back().kind != TokenKind::kNewline)
        Push(TokenKind::kNewline, "", 0);
      NewLine();
    } else {
      NewLine();
      line_start_ = false;
    }
  }

  void Number() {
    size_t n = 0;
    bool real = false;
    auto at = [&](size_t i) { return at_ + i < s_.size() ? s_[at_ + i] : '\0'; };
    while (std::isdigit(static_cast<unsigned char>(at(n)))) ++n;
    if (at(n) == '.') {
      real = true;
      ++n;
      while (std::isdigit(static_cast<unsigned char>(at(n)))) ++n;
    }
    if (at(n) == 'e' || at(n) == 'E') {
      size_t m = n + 1;
      if (at(m) == '+' || at(m) == '-') ++m;
      if (std::isdigit(static_cast<unsigned char>(at(m)))) {
        real = true;
        while (std::isdigit(static_cast<unsigned char>(at(m)))) ++m;
        n = m;
      }
    }
    if (n > 40) diag_.Add("AK1508", Here(n), "this number has too many digits");
    Push(real ? TokenKind::kFloat : TokenKind::kInt, s_.substr(at_, n), n);
  }

  // Between three quotes each, over several lines: documentation, which keeps its quotes.
  void Docstring(char quote) {
    const size_t end = s_.find(std::string(3, quote), at_ + 3);
    if (end == std::string::npos) {
      diag_.Add("AK1508", Here(3), "a docstring that does not end",
                fmt::format("close it with {}", std::string(3, quote)));
      at_ = s_.size();
      return;
    }
    const std::string text = s_.substr(at_, end + 3 - at_);
    tokens_.push_back({TokenKind::kDocstring, text, Here(3)});
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') ++line_, line_begin_ = at_ + i + 1;
    at_ += text.size();
  }

  void String(char quote) {
    if (s_.compare(at_, 3, std::string(3, quote)) == 0) return Docstring(quote);
    size_t n = 1;
    while (at_ + n < s_.size() && s_[at_ + n] != quote && s_[at_ + n] != '\n') ++n;
    if (at_ + n >= s_.size() || s_[at_ + n] != quote) {
      diag_.Add("AK1508", Here(n), "a string that does not end on its line",
                fmt::format("close it with {}", quote));
      at_ += n;
      return;
    }
    Push(TokenKind::kString, s_.substr(at_ + 1, n - 1), n + 1);
  }

  void Operator() {
    static constexpr std::string_view kLong[] = {
        "//=", "**=", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
        "//",  "**",  "==", "!=", "<=", ">=", "->", "<<", ">>"};
    for (const std::string_view op : kLong)
      if (s_.compare(at_, op.size(), op) == 0)
        return Push(TokenKind::kOp, std::string(op), op.size());
    char c = s_[at_];
    if (std::string_view("+-*/%<>=()[]{},:.@|&~").find(c) == std::string_view::npos) {
      diag_.Add("AK1508", Here(),
                fmt::format("the character {} has no meaning here",
                            c >= 32 && c < 127 ? fmt::format("'{}'", c) : "(not ASCII)"));
      ++at_;
      return;
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    Push(TokenKind::kOp, std::string(1, c), 1);
  }

  const std::string& s_;
  Diagnostics& diag_;
  std::vector<Token> tokens_;
  std::vector<size_t> indents_{0};
  size_t at_ = 0, line_begin_ = 0;
  int line_ = 1, depth_ = 0;
  bool line_start_ = true, misplaced_ = false;
};

}  // namespace

const std::vector<std::string>& Keywords() {
  static const std::vector<std::string> kWords = {"def",  "for",  "in",     "if",   "elif",
                                                  "else", "with", "return", "and",  "or",
                                                  "not",  "True", "False",  "None", "pass"};
  return kWords;
}

std::string Augmented(const Token& t) {
  static constexpr std::string_view kOps[] = {
      "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|="};
  if (t.kind != TokenKind::kOp || std::ranges::find(kOps, t.text) == std::end(kOps)) return {};
  return t.text.substr(0, t.text.size() - 1);
}

bool IsKeyword(const std::string& word) {
  return std::find(Keywords().begin(), Keywords().end(), word) != Keywords().end();
}

std::vector<Token> Lex(const std::string& source, Diagnostics& diagnostics) {
  if (source.size() > kLargestProgram) {
    diagnostics.Add("AK1500", {1, 1, 1},
                    fmt::format("the program has {} bytes; at most {} are read", source.size(),
                                kLargestProgram),
                    "one operator per file");
    return {Token{}};
  }
  return Lexer(source, diagnostics).Run();
}

}  // namespace akgen::craft
