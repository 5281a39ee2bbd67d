#include "craft/syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "craft/syntax/lexer.h"

namespace akgen::craft {
namespace {
using ast::Expr;
using ast::ExprKind;
using ast::ExprPtr;
using ast::Stmt;
using ast::StmtKind;

struct Failed {};  // unwinds to the next line; never leaves the parser

class Parser {
 public:
  Parser(std::vector<Token> tokens, Diagnostics& d) : t_(std::move(tokens)), diag_(d) {}

  ast::Module Run() {
    ast::Module m;
    while (Peek().kind != TokenKind::kEnd) {
      try {
        if (Preamble(m)) continue;
        m.functions.push_back(FunctionDef());
      } catch (Failed&) {
        SkipToFunction();
      }
    }
    return m;
  }

 private:
  const Token& Peek(size_t n = 0) const { return t_[std::min(at_ + n, t_.size() - 1)]; }
  Token Take() { return t_[std::min(at_++, t_.size() - 1)]; }
  bool IsOp(const char* op, size_t n = 0) const {
    return Peek(n).kind == TokenKind::kOp && Peek(n).text == op;
  }
  bool IsWord(const char* w) const {
    return Peek().kind == TokenKind::kKeyword && Peek().text == w;
  }
  bool AcceptOp(const char* op) { return IsOp(op) ? (++at_, true) : false; }
  bool AcceptWord(const char* w) { return IsWord(w) ? (++at_, true) : false; }

  // Said of the first one in a function: after it nobody knows where the lines belong.
  [[noreturn]] void Mistake(Place place, const std::string& what, const std::string& fix) {
    if (!std::exchange(failed_, true)) diag_.Add("AK1509", place, what, fix);
    throw Failed{};
  }
  [[noreturn]] void Fail(const std::string& expected, const std::string& fix = {}) {
    const Token& t = Peek();
    std::string got = t.kind == TokenKind::kNewline  ? "the end of the line"
                      : t.kind == TokenKind::kEnd    ? "the end of the file"
                      : t.kind == TokenKind::kIndent ? "an indented line"
                      : t.kind == TokenKind::kDedent ? "the end of the block"
                                                     : fmt::format("'{}'", t.text);
    Mistake(t.place, fmt::format("expected {}, found {}", expected, got), fix);
  }
  void ExpectOp(const char* op) {
    if (!AcceptOp(op)) Fail(fmt::format("'{}'", op));
  }
  // A bracket that is still open on a later line is the mistake, not what stands there.
  void ExpectClose(const char* op, Place open) {
    if (AcceptOp(op)) return;
    if (Peek().place.line == open.line) Fail(fmt::format("'{}'", op));
    Mistake(open, "this bracket is never closed", fmt::format("close it with '{}'", op));
  }
  std::string ExpectName(const char* what) {
    if (Peek().kind == TokenKind::kKeyword)
      Fail(what,
           fmt::format("'{}' is a keyword of the language: choose another name", Peek().text));
    if (Peek().kind != TokenKind::kName) Fail(what);
    return Take().text;
  }
  void ExpectNewline() {
    if (Peek().kind == TokenKind::kEnd) return;
    if (Peek().kind != TokenKind::kNewline)
      Fail("the end of the line",
           IsOp("=") ? "'=' assigns; compare with '=='" : "one statement per line");
    ++at_;
  }
  // A decorator begins a line; elsewhere @ is a product.
  void SkipToFunction() {
    for (auto last = TokenKind::kName; Peek().kind != TokenKind::kEnd; last = Take().kind)
      if (IsOp("@") && (last == TokenKind::kNewline || last == TokenKind::kDedent)) return;
  }
  void SkipLine() {
    while (Peek().kind != TokenKind::kEnd && Peek().kind != TokenKind::kNewline &&
           Peek().kind != TokenKind::kDedent)
      ++at_;
    if (Peek().kind == TokenKind::kNewline) ++at_;
    if (Peek().kind == TokenKind::kIndent) {
      int depth = 0;
      do {
        depth += int(Peek().kind == TokenKind::kIndent) - int(Peek().kind == TokenKind::kDedent);
        ++at_;
      } while (depth > 0 && Peek().kind != TokenKind::kEnd);
    }
  }

  // A line that Python needs and the language does not: an import, a docstring.
  bool Preamble(ast::Module& m) {
    const Token& t = Peek();
    if (t.kind == TokenKind::kNewline) return ++at_, true;
    const bool imports = t.kind == TokenKind::kName && (t.text == "import" || t.text == "from");
    if (!imports && t.kind != TokenKind::kString && t.kind != TokenKind::kDocstring) return false;
    std::string text, last;
    for (; Peek().kind != TokenKind::kNewline && Peek().kind != TokenKind::kEnd;
         last = Take().text) {
      const Token& part = Peek();
      if (imports && (last == "as" || last == "import")) modules_.push_back(part.text);
      const bool apart = !text.empty() && part.text != "." && part.text != "," && last != ".";
      text += (apart ? " " : "") +
              (part.kind == TokenKind::kString ? "\"" + part.text + "\"" : part.text);
    }
    m.preamble.push_back(text);
    return true;
  }
  // What an annotation or a call names of a module: torch.exp, F.relu after `import
  // torch.nn.functional as F`.
  bool OfModule(const Expr& e) const {
    const Expr* root = &e;
    while (root->kind == ExprKind::kAttribute) root = root->args[0].get();
    return root->kind == ExprKind::kName &&
           std::ranges::find(modules_, root->text) != modules_.end();
  }

  ast::Function FunctionDef() {
    ast::Function f;
    if (!IsOp("@"))
      Fail("'@kernel' or '@host'",
           "a program is made of functions that begin with @kernel or @host");
    ++at_, failed_ = false;
    f.place = Peek().place;
    f.decorator = ExpectName("'kernel' or 'host'");
    if (f.decorator != "kernel" && f.decorator != "host")
      diag_.Add("AK1509", f.place, fmt::format("unknown decorator @{}", f.decorator),
                "write @kernel or @host");
    ExpectNewline();
    if (!AcceptWord("def")) Fail("'def'");
    f.place = Peek().place;
    f.name = ExpectName("the function's name");
    ExpectOp("(");
    while (!IsOp(")")) {
      ast::Param p;
      p.place = Peek().place;
      p.name = ExpectName("a parameter's name");
      if (AcceptOp(":")) p.annotation = Ternary();
      if (AcceptOp("=")) p.fallback = Ternary();
      f.params.push_back(std::move(p));
      if (!AcceptOp(",")) break;
    }
    ExpectOp(")");
    if (AcceptOp("->")) f.returns = Ternary();
    f.body = BlockAfterColon(&f.doc);
    return f;
  }

  // `doc`: where a string that the block begins with goes.
  ast::Block BlockAfterColon(std::string* doc = nullptr) {
    ExpectOp(":");
    ExpectNewline();
    if (Peek().kind != TokenKind::kIndent)
      Fail("an indented block", "indent the body by four spaces");
    ++at_;
    ast::Block b;
    if (doc && (Peek().kind == TokenKind::kDocstring || Peek().kind == TokenKind::kString) &&
        Peek(1).kind == TokenKind::kNewline) {
      *doc = Peek().kind == TokenKind::kString ? "\"" + Peek().text + "\"" : Peek().text;
      at_ += 2;
    }
    while (Peek().kind != TokenKind::kDedent && Peek().kind != TokenKind::kEnd) {
      try {
        b.push_back(Statement());
      } catch (Failed&) {
        SkipLine();
      }
    }
    if (Peek().kind == TokenKind::kDedent) ++at_;
    return b;
  }

  // A stage of one statement may stand on one line.
  ast::Block StatementAfterColon() {
    ExpectOp(":");
    if (IsWord("for") || IsWord("if") || IsWord("with")) Fail("a statement of one line");
    return {Statement()};
  }

  ast::StmtPtr Statement() {
    auto s = std::make_shared<Stmt>();
    s->place = Peek().place;
    if (AcceptWord("for")) {
      s->kind = StmtKind::kFor;
      do s->targets.push_back(Name());
      while (AcceptOp(","));
      if (!AcceptWord("in")) Fail("'in'");
      s->value = Ternary();
      s->body = BlockAfterColon();
    } else if (AcceptWord("if")) {
      If(*s);
    } else if (AcceptWord("with")) {
      s->kind = StmtKind::kWith;
      s->value = Name();
      s->body = IsOp(":") && Peek(1).kind != TokenKind::kNewline ? StatementAfterColon()
                                                                 : BlockAfterColon();
    } else if (AcceptWord("return")) {
      s->kind = StmtKind::kReturn;
      if (Peek().kind != TokenKind::kNewline) s->value = TupleOrExpr();
      ExpectNewline();
    } else if (AcceptWord("pass")) {
      ExpectNewline();
    } else {
      Simple(*s);
    }
    return s;
  }

  void If(Stmt& s) {
    s.kind = StmtKind::kIf;
    s.value = Ternary();
    s.body = BlockAfterColon();
    Place place = Peek().place;
    if (AcceptWord("elif")) {
      auto inner = std::make_shared<Stmt>();
      inner->place = place;
      If(*inner);
      s.other.push_back(inner);
    } else if (AcceptWord("else")) {
      s.other = BlockAfterColon();
    }
  }

  void Simple(Stmt& s) {
    if (Peek().kind == TokenKind::kName && Peek().text == "print" && IsOp("(", 1)) {
      diag_.Add(
          "AK1514", Peek().place, "print() is not part of the language",
          "a kernel's values are seen in what it stores: `akgen craft run` prints the outputs");
      throw Failed{};
    }
    ExprPtr left = TupleOrExpr();
    if (const std::string op = Augmented(Peek()); !op.empty()) {
      s.kind = StmtKind::kAssign;
      s.targets = {left};
      ++at_;
      ExprPtr old = left->kind == ExprKind::kSubscript ? left->args[0] : left;  // b[:] += y reads b
      s.value = New(ExprKind::kBinary, left->place, op, {old, TupleOrExpr()});
    } else if (AcceptOp("=")) {
      s.kind = StmtKind::kAssign;
      s.targets = left->kind == ExprKind::kList ? left->args : std::vector<ExprPtr>{left};
      s.value = TupleOrExpr();
    } else {
      s.kind = StmtKind::kExpr;
      s.value = left;
    }
    ExpectNewline();
  }

  ExprPtr New(ExprKind kind, Place place, std::string text = {}, std::vector<ExprPtr> args = {}) {
    auto e = std::make_shared<Expr>();
    e->kind = kind;
    e->place = place;
    e->text = std::move(text);
    e->args = std::move(args);
    return e;
  }
  ExprPtr Name() {
    Place p = Peek().place;
    return New(ExprKind::kName, p, ExpectName("a name"));
  }
  ExprPtr TupleOrExpr() {
    ExprPtr first = Ternary();
    if (!IsOp(",")) return first;
    auto list = New(ExprKind::kList, first->place, "tuple", {first});
    while (AcceptOp(",")) {
      if (Peek().kind == TokenKind::kNewline || IsOp("=") || IsOp(")")) break;
      list->args.push_back(Ternary());
    }
    return list;
  }

  // Keeps the native stack bounded: a file of brackets is refused, not a crash.
  struct Deeper {
    explicit Deeper(Parser& p) : p_(p) {
      constexpr int kDeepest = 100;
      if (++p_.depth_ <= kDeepest) return;
      p_.depth_ = 0;
      p_.Mistake(p_.Peek().place, "an expression is nested more than 100 levels deep",
                 "give parts of it names");
    }
    ~Deeper() {
      if (p_.depth_ > 0) --p_.depth_;
    }
    Parser& p_;
  };

  ExprPtr Ternary() {
    Deeper d(*this);
    ExprPtr value = Or();
    if (!IsWord("if")) return value;
    Place p = value->place;
    ++at_;
    ExprPtr condition = Or();
    if (!AcceptWord("else")) Fail("'else'");
    return New(ExprKind::kIfElse, p, "", {value, condition, Ternary()});
  }
  ExprPtr Or() {
    ExprPtr l = And();
    while (AcceptWord("or")) l = New(ExprKind::kLogic, l->place, "or", {l, And()});
    return l;
  }
  ExprPtr And() {
    ExprPtr l = Not();
    while (AcceptWord("and")) l = New(ExprKind::kLogic, l->place, "and", {l, Not()});
    return l;
  }
  ExprPtr Not() {
    Deeper d(*this);
    Place p = Peek().place;
    if (AcceptWord("not")) return New(ExprKind::kUnary, p, "not", {Not()});
    return Compare();
  }
  ExprPtr Compare() {
    ExprPtr l = Binary(0);
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"})
      if (IsOp(op)) {
        ++at_;
        ExprPtr e = New(ExprKind::kCompare, l->place, op, {l, Binary(0)});
        for (const char* again : {"==", "!=", "<=", ">=", "<", ">"})
          if (IsOp(again)) Fail("one comparison", "join two comparisons with 'and'");
        return e;
      }
    return l;
  }
  // Levels: | , & , + - , * / // % @ , unary, **.
  ExprPtr Binary(int level) {
    static const std::vector<std::vector<const char*>> kLevels = {
        {"|"}, {"&"}, {"+", "-"}, {"*", "/", "//", "%", "@"}};
    if (level == static_cast<int>(kLevels.size())) return Unary();
    ExprPtr l = Binary(level + 1);
    for (;;) {
      const char* found = nullptr;
      for (const char* op : kLevels[level])
        if (IsOp(op)) found = op;
      if (!found) return l;
      ++at_;
      l = New(ExprKind::kBinary, l->place, found, {l, Binary(level + 1)});
    }
  }
  ExprPtr Unary() {
    Deeper d(*this);
    Place p = Peek().place;
    for (const char* op : {"-", "+", "~"})
      if (AcceptOp(op)) return New(ExprKind::kUnary, p, op, {Unary()});
    ExprPtr l = Postfix();
    if (AcceptOp("**")) return New(ExprKind::kBinary, l->place, "**", {l, Unary()});
    return l;
  }
  ExprPtr Postfix() {
    ExprPtr e = Atom();
    for (;;) {
      Place open = Peek().place;
      if (AcceptOp("(")) {
        e = CallArgs(New(ExprKind::kCall, e->place, "", {e}), open);
      } else if (AcceptOp("[")) {
        e = New(ExprKind::kSubscript, e->place, "", {e});
        do {
          if (IsOp("]")) break;
          e->args.push_back(SliceOrExpr());
        } while (AcceptOp(","));
        ExpectClose("]", open);
      } else if (IsOp(".")) {
        ++at_;
        Place p = e->place;
        e = New(ExprKind::kAttribute, p, ExpectName("an attribute's name"), {e});
        e->of_module = OfModule(*e);
      } else {
        return e;
      }
    }
  }
  ExprPtr CallArgs(ExprPtr call, Place open) {
    while (!IsOp(")")) {
      if (Peek().kind == TokenKind::kName && IsOp("=", 1)) {
        std::string name = Take().text;
        ++at_;
        call->keywords.push_back({name, Ternary()});
      } else {
        call->args.push_back(Ternary());
      }
      if (!AcceptOp(",")) break;
    }
    ExpectClose(")", open);
    return call;
  }
  ExprPtr SliceOrExpr() {
    Place p = Peek().place;
    ExprPtr start, stop, step;
    if (!IsOp(":")) start = Ternary();
    if (!IsOp(":")) return start;
    ++at_;
    if (!IsOp("]") && !IsOp(",") && !IsOp(":")) stop = Ternary();
    if (AcceptOp(":") && !IsOp("]") && !IsOp(",")) step = Ternary();
    return New(ExprKind::kSlice, p, "", {start, stop, step});
  }
  ExprPtr Atom() {
    Token t = Peek();
    switch (t.kind) {
      case TokenKind::kName: ++at_; return New(ExprKind::kName, t.place, t.text);
      case TokenKind::kString: ++at_; return New(ExprKind::kString, t.place, t.text);
      case TokenKind::kInt: return Integer();
      case TokenKind::kFloat: {
        ++at_;
        ExprPtr e = New(ExprKind::kFloat, t.place, t.text);
        e->float_value = std::strtod(t.text.c_str(), nullptr);
        return e;
      }
      case TokenKind::kKeyword:
        if (t.text == "True" || t.text == "False") {
          ++at_;
          ExprPtr e = New(ExprKind::kBool, t.place, t.text);
          e->bool_value = t.text == "True";
          return e;
        }
        if (t.text == "None") return ++at_, New(ExprKind::kNone, t.place, "None");
        break;
      default: break;
    }
    if (AcceptOp("(")) {
      ExprPtr e = TupleOrExpr();
      ExpectClose(")", t.place);
      return e;
    }
    if (AcceptOp("[")) {
      ExprPtr e = New(ExprKind::kList, t.place, "list");
      while (!IsOp("]")) {
        e->args.push_back(Ternary());
        if (!AcceptOp(",")) break;
      }
      ExpectClose("]", t.place);
      return e;
    }
    Fail("a value");
  }
  ExprPtr Integer() {
    Token t = Take();
    ExprPtr e = New(ExprKind::kInt, t.place, t.text);
    errno = 0;
    e->int_value = std::strtoll(t.text.c_str(), nullptr, 10);
    if (errno != 0) diag_.Add("AK1508", t.place, "this number does not fit 64 bits");
    return e;
  }

  std::vector<Token> t_;
  Diagnostics& diag_;
  std::vector<std::string> modules_{"torch", "math"};
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;  // in this function
};

}  // namespace

ast::Module Parse(const std::string& source, Diagnostics& diagnostics) {
  auto tokens =
      Lex(source, diagnostics);  // where a word means nothing, nobody knows what the line says
  return diagnostics.empty() ? Parser(std::move(tokens), diagnostics).Run() : ast::Module();
}

}  // namespace akgen::craft
