// Text to tokens. Indentation becomes kIndent and kDedent as in Python; brackets join lines; #
// starts a comment.
#pragma once
#include <string>
#include <vector>

#include "craft/syntax/diagnostic.h"

namespace akgen::craft {

enum class TokenKind {
  kName,
  kKeyword,
  kInt,
  kFloat,
  kString,
  kDocstring,
  kOp,
  kNewline,
  kIndent,
  kDedent,
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // strings: without quotes; docstrings: with them
  Place place;
};

// Larger programs are refused (AK1500).
inline constexpr size_t kLargestProgram = 1 << 20;

std::vector<Token> Lex(const std::string& source, Diagnostics& diagnostics);
// x of an operator x=, as + of +=; empty: it is none.
std::string Augmented(const Token& t);
bool IsKeyword(const std::string& word);
const std::vector<std::string>& Keywords();

}  // namespace akgen::craft
