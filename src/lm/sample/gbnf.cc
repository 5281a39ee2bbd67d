// Reads GBNF: name ::= alternatives of "text", [classes], ., names, (groups), with *, +, ?, {m},
// {m,}, {m,n}; # comments.
#include <algorithm>
#include <map>
#include <set>

#include "lm/sample/grammar_rules.h"
#include "lm/sample/utf8_ranges.h"

namespace akgen::lm {
using base::Error;

namespace {
constexpr int kMaxRepeats = 1000;
constexpr int kDeepest = 200;  // nested groups
constexpr size_t kMaxElements = 1 << 20;

using Elements = std::vector<GrammarElement>;

class Parser {
 public:
  Parser(std::string_view text, std::string where) : s_(text), where_(std::move(where)) {}
  base::Result<GrammarRules> Parse();

 private:
  bool Fail(const std::string& why);
  void Space(bool lines);
  bool AtRule();
  bool Name(std::string& name);
  bool Rule();
  bool Alternatives(int32_t rule, bool nested);
  bool SequenceOf(Elements& out, bool nested);
  bool Term(Elements& out);
  bool Repeat(Elements& term);
  bool Literal(Elements& out);
  bool Class(Elements& out);
  bool Character(uint32_t& c, const char* what);
  bool Hex(int digits, uint32_t& c);
  bool Braces(int& least, int& most);

  int32_t NewRule(const std::string& name);
  int32_t RuleOf(const std::string& name);
  void AddAlternative(int32_t rule, const Elements& sequence);
  GrammarElement Bytes(const std::bitset<256>& set);
  void AddCharacters(const std::vector<CodeRange>& ranges, Elements& out);

  std::string_view s_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string where_;
  GrammarRules r_;
  std::map<std::string, int32_t> ids_;
  std::set<int32_t> defined_;
  std::optional<Error> error_;
};

bool Parser::Fail(const std::string& why) {
  if (error_) return false;
  size_t line =
      1 + size_t(std::count(s_.begin(), s_.begin() + long(std::min(at_, s_.size())), '\n'));
  size_t start = at_ == 0 ? std::string_view::npos : s_.rfind('\n', at_ - 1);
  size_t column = at_ - (start == std::string_view::npos ? 0 : start + 1) + 1;
  error_ = Error{"AK1931", why, where_ + ":" + std::to_string(line) + ":" + std::to_string(column),
                 "see docs/lm.md for the syntax"};
  return false;
}

void Parser::Space(bool lines) {
  for (; at_ < s_.size(); ++at_) {
    char c = s_[at_];
    if (c == '#') {
      while (at_ < s_.size() && s_[at_] != '\n') ++at_;
      --at_;
    } else if (c == '\n') {
      if (!lines) return;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

bool Parser::Name(std::string& name) {
  size_t from = at_;
  while (at_ < s_.size() &&
         (isalnum(static_cast<unsigned char>(s_[at_])) || s_[at_] == '-' || s_[at_] == '_'))
    ++at_;
  name = std::string(s_.substr(from, at_ - from));
  return !name.empty();
}

int32_t Parser::NewRule(const std::string& name) {
  r_.alternatives.emplace_back();
  r_.names.push_back(name);
  return int32_t(r_.alternatives.size()) - 1;
}

int32_t Parser::RuleOf(const std::string& name) {
  auto it = ids_.find(name);
  return it != ids_.end() ? it->second : ids_[name] = NewRule(name);
}

void Parser::AddAlternative(int32_t rule, const Elements& sequence) {
  r_.alternatives[size_t(rule)].push_back(int32_t(r_.elements.size()));
  r_.elements.insert(r_.elements.end(), sequence.begin(), sequence.end());
  r_.elements.push_back({GrammarElement::kEnd, 0});
}

GrammarElement Parser::Bytes(const std::bitset<256>& set) {
  r_.sets.push_back(set);
  return {GrammarElement::kBytes, int32_t(r_.sets.size()) - 1};
}

// One set when all are ASCII, else a rule with an alternative per sequence of byte ranges.
void Parser::AddCharacters(const std::vector<CodeRange>& ranges, Elements& out) {
  std::vector<ByteRanges> sequences = Utf8Sequences(ranges);
  std::bitset<256> single;
  bool longer = false;
  for (const ByteRanges& q : sequences) {
    for (unsigned b = q[0].first; q.size() == 1 && b <= q[0].second; ++b) single.set(b);
    longer |= q.size() > 1;
  }
  if (!longer) return out.push_back(Bytes(single));
  int32_t rule = NewRule("");
  if (single.any()) AddAlternative(rule, {Bytes(single)});
  for (const ByteRanges& q : sequences) {
    if (q.size() == 1) continue;
    Elements bytes;
    for (auto [from, to] : q) {
      std::bitset<256> set;
      for (unsigned b = from; b <= to; ++b) set.set(b);
      bytes.push_back(Bytes(set));
    }
    AddAlternative(rule, bytes);
  }
  out.push_back({GrammarElement::kRule, rule});
}

bool Parser::Hex(int digits, uint32_t& c) {
  c = 0;
  for (int i = 0; i < digits; ++i, ++at_) {
    if (at_ >= s_.size() || !isxdigit(static_cast<unsigned char>(s_[at_])))
      return Fail("hexadecimal digits are expected");
    char d = char(tolower(s_[at_]));
    c = c * 16 + uint32_t(d <= '9' ? d - '0' : d - 'a' + 10);
  }
  return c <= 0x10FFFF || Fail("there is no such character");
}

// One character of a literal or class, escapes resolved.
bool Parser::Character(uint32_t& c, const char* what) {
  if (at_ >= s_.size() || s_[at_] == '\n') return Fail(std::string(what) + " is not closed");
  if (s_[at_] != '\\') return DecodeUtf8(s_, at_, c) || Fail("the grammar is not UTF-8");
  if (++at_ >= s_.size()) return Fail(std::string(what) + " is not closed");
  char e = s_[at_++];
  switch (e) {
    case 'n': c = '\n'; return true;
    case 'r': c = '\r'; return true;
    case 't': c = '\t'; return true;
    case 'x': return Hex(2, c);
    case 'u': return Hex(4, c);
    case 'U': return Hex(8, c);
    case '\\':
    case '"':
    case '[':
    case ']':
    case '-':
    case '^': c = uint32_t(uint8_t(e)); return true;
    default: --at_; return Fail(std::string("unknown escape \\") + e);
  }
}

bool Parser::Literal(Elements& out) {
  for (++at_; at_ < s_.size() && s_[at_] != '"';) {
    uint32_t c;
    if (!Character(c, "the text")) return false;
    for (unsigned char b : EncodeUtf8(c)) {
      std::bitset<256> set;
      set.set(b);
      out.push_back(Bytes(set));
    }
  }
  if (at_ >= s_.size()) return Fail("the text is not closed");
  ++at_;
  return true;
}

bool Parser::Class(Elements& out) {
  std::vector<CodeRange> ranges;
  ++at_;
  bool negated = at_ < s_.size() && s_[at_] == '^';
  at_ += negated;
  while (at_ < s_.size() && s_[at_] != ']') {
    uint32_t from, to;
    if (!Character(from, "the class")) return false;
    to = from;
    if (at_ + 1 < s_.size() && s_[at_] == '-' && s_[at_ + 1] != ']') {
      ++at_;
      if (!Character(to, "the class")) return false;
      if (to < from) return Fail("the range runs backwards");
    }
    ranges.push_back({from, to});
  }
  if (at_ >= s_.size()) return Fail("the class is not closed");
  ++at_;
  ranges = negated ? Complement(ranges) : ranges;
  if (ranges.empty()) return Fail("the class is empty");
  AddCharacters(ranges, out);
  return true;
}

bool Parser::Term(Elements& out) {
  char c = s_[at_];
  if (c == '"') return Literal(out);
  if (c == '[') return Class(out);
  if (c == '.') return ++at_, AddCharacters({{0, 0x10FFFF}}, out), true;
  if (c == '(') {
    ++at_;
    if (++depth_ > kDeepest) return Fail("groups are nested too deep");
    int32_t rule = NewRule("");
    if (!Alternatives(rule, true)) return false;
    --depth_;
    if (at_ >= s_.size() || s_[at_] != ')') return Fail("`)` is expected");
    ++at_;
    out.push_back({GrammarElement::kRule, rule});
    return true;
  }
  std::string name;
  if (!Name(name)) return Fail(std::string("`") + c + "` is not expected here");
  out.push_back({GrammarElement::kRule, RuleOf(name)});
  return true;
}

bool Parser::Braces(int& least, int& most) {
  auto number = [&](int& n) {
    size_t from = at_;
    for (n = 0; at_ < s_.size() && isdigit(static_cast<unsigned char>(s_[at_])) && n <= kMaxRepeats;
         ++at_)
      n = n * 10 + (s_[at_] - '0');
    return at_ > from;
  };
  ++at_;
  if (!number(least)) return Fail("a number is expected");
  most = least;
  if (at_ < s_.size() && s_[at_] == ',') {
    ++at_;
    if (!number(most)) most = -1;
  }
  if (at_ >= s_.size() || s_[at_] != '}') return Fail("`}` is expected");
  ++at_;
  if (least > kMaxRepeats || most > kMaxRepeats || (most >= 0 && most < least))
    return Fail("such a number of repetitions is not possible");
  return true;
}

// x* is R ::= x R | nothing; what is counted is written out.
bool Parser::Repeat(Elements& term) {
  while (at_ < s_.size() &&
         (s_[at_] == '*' || s_[at_] == '+' || s_[at_] == '?' || s_[at_] == '{')) {
    char op = s_[at_];
    int least = op == '+' ? 1 : 0, most = op == '?' ? 1 : -1;
    if (op == '{' ? !Braces(least, most) : (++at_, false)) return false;
    Elements out;
    for (int i = 0; i < least; ++i) out.insert(out.end(), term.begin(), term.end());
    if (most < 0) {
      int32_t rule = NewRule("");
      Elements again = term;
      again.push_back({GrammarElement::kRule, rule});
      AddAlternative(rule, again);
      AddAlternative(rule, {});
      out.push_back({GrammarElement::kRule, rule});
    }
    Elements optional;  // x{0,n} is (x (x (…)?)?)?
    for (int i = least; i < most; ++i) {
      int32_t rule = NewRule("");
      Elements one = term;
      one.insert(one.end(), optional.begin(), optional.end());
      AddAlternative(rule, one);
      AddAlternative(rule, {});
      optional = {{GrammarElement::kRule, rule}};
    }
    out.insert(out.end(), optional.begin(), optional.end());
    term = std::move(out);
    if (r_.elements.size() + term.size() > kMaxElements) return Fail("the grammar is too large");
  }
  return true;
}

// Whether a new rule begins at the present place (after a line break).
bool Parser::AtRule() {
  size_t save = at_;
  std::string name;
  bool yes = Name(name);
  Space(false);
  yes = yes && s_.substr(at_, 3) == "::=";
  at_ = save;
  return yes;
}

bool Parser::SequenceOf(Elements& out, bool nested) {
  for (;;) {
    Space(nested);
    if (at_ < s_.size() && s_[at_] == '\n') {  // a sequence may go on in the next line
      size_t save = at_;
      Space(true);
      if (at_ >= s_.size() || AtRule()) return true;
      if (s_[at_] == '|') return at_ = save, true;
    }
    if (at_ >= s_.size() || s_[at_] == '|' || s_[at_] == ')') return true;
    Elements term;
    if (!Term(term) || !Repeat(term)) return false;
    out.insert(out.end(), term.begin(), term.end());
  }
}

bool Parser::Alternatives(int32_t rule, bool nested) {
  for (;;) {
    Elements sequence;
    if (!SequenceOf(sequence, nested)) return false;
    AddAlternative(rule, sequence);
    size_t save = at_;
    Space(true);
    if (at_ >= s_.size() || s_[at_] != '|') return at_ = nested ? at_ : save, true;
    ++at_;
  }
}

bool Parser::Rule() {
  std::string name;
  if (!Name(name)) return Fail("a rule's name is expected");
  Space(false);
  if (s_.substr(at_, 3) != "::=") return Fail("`::=` is expected");
  at_ += 3;
  int32_t rule = RuleOf(name);
  if (!defined_.insert(rule).second) return Fail("rule `" + name + "` is there twice");
  if (!Alternatives(rule, false)) return false;
  Space(false);
  return at_ >= s_.size() || s_[at_] == '\n' || AtRule() ||
         Fail(std::string("`") + s_[at_] + "` is not expected here");
}

base::Result<GrammarRules> Parser::Parse() {
  for (Space(true); at_ < s_.size() && !error_; Space(true)) Rule();
  for (const auto& [name, id] : ids_)
    if (!error_ && !defined_.count(id)) Fail("rule `" + name + "` is used and not defined");
  auto root = ids_.find("root");
  if (!error_ && root == ids_.end()) Fail("there is no rule `root`");
  if (error_) return *error_;
  r_.root = root->second;
  return std::move(r_);
}
}  // namespace

base::Result<GrammarRules> ParseGbnf(std::string_view text, const std::string& where) {
  return Parser(text, where).Parse();
}

}  // namespace akgen::lm
