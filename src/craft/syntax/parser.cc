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

// The tokens of a file, read from the front, and what is said where another one was expected.
class TokenStream {
 public:
  TokenStream(std::vector<Token> tokens, Diagnostics& d) : t_(std::move(tokens)), diag_(d) {}

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
  void BeginFunction() { failed_ = false; }
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

 private:
  std::vector<Token> t_;
  Diagnostics& diag_;
  size_t at_ = 0;
  bool failed_ = false;  // in this function
};

ExprPtr NewExpr(ExprKind kind, Place place, std::string text = {}, std::vector<ExprPtr> args = {}) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->place = place;
  e->text = std::move(text);
  e->args = std::move(args);
  return e;
}

ExprPtr NameExpr(TokenStream& in) {
  Place p = in.Peek().place;
  return NewExpr(ExprKind::kName, p, in.ExpectName("a name"));
}

ExprPtr IntegerExpr(const Token& t, Diagnostics& d) {
  ExprPtr e = NewExpr(ExprKind::kInt, t.place, t.text);
  errno = 0;
  e->int_value = std::strtoll(t.text.c_str(), nullptr, 10);
  if (errno != 0) d.Add("AK1508", t.place, "this number does not fit 64 bits");
  return e;
}

// What an annotation or a call names of a module: torch.exp, F.relu after `import
// torch.nn.functional as F`.
bool OfModule(const Expr& e, const std::vector<std::string>& modules) {
  const Expr* root = &e;
  while (root->kind == ExprKind::kAttribute) root = root->args[0].get();
  return root->kind == ExprKind::kName && std::ranges::find(modules, root->text) != modules.end();
}

class Parser {
 public:
  Parser(std::vector<Token> tokens, Diagnostics& d) : in_(std::move(tokens), d), diag_(d) {}

  ast::Module Run() {
    ast::Module m;
    while (in_.Peek().kind != TokenKind::kEnd) {
      try {
        if (Preamble(m)) continue;
        m.functions.push_back(FunctionDef());
      } catch (Failed&) {
        in_.SkipToFunction();
      }
    }
    return m;
  }

 private:
  // A line that Python needs and the language does not: an import, a docstring.
  bool Preamble(ast::Module& m) {
    const Token& t = in_.Peek();
    if (t.kind == TokenKind::kNewline) return in_.Take(), true;
    const bool imports = t.kind == TokenKind::kName && (t.text == "import" || t.text == "from");
    if (!imports && t.kind != TokenKind::kString && t.kind != TokenKind::kDocstring) return false;
    std::string text, last;
    for (; in_.Peek().kind != TokenKind::kNewline && in_.Peek().kind != TokenKind::kEnd;
         last = in_.Take().text) {
      const Token& part = in_.Peek();
      if (imports && (last == "as" || last == "import")) modules_.push_back(part.text);
      const bool apart = !text.empty() && part.text != "." && part.text != "," && last != ".";
      text += (apart ? " " : "") +
              (part.kind == TokenKind::kString ? "\"" + part.text + "\"" : part.text);
    }
    m.preamble.push_back(text);
    return true;
  }

  ast::Function FunctionDef() {
    ast::Function f;
    if (!in_.IsOp("@"))
      in_.Fail("'@kernel' or '@host'",
               "a program is made of functions that begin with @kernel or @host");
    in_.Take(), in_.BeginFunction();
    f.place = in_.Peek().place;
    f.decorator = in_.ExpectName("'kernel' or 'host'");
    if (f.decorator != "kernel" && f.decorator != "host")
      diag_.Add("AK1509", f.place, fmt::format("unknown decorator @{}", f.decorator),
                "write @kernel or @host");
    in_.ExpectNewline();
    if (!in_.AcceptWord("def")) in_.Fail("'def'");
    f.place = in_.Peek().place;
    f.name = in_.ExpectName("the function's name");
    in_.ExpectOp("(");
    while (!in_.IsOp(")")) {
      ast::Param p;
      p.place = in_.Peek().place;
      p.name = in_.ExpectName("a parameter's name");
      if (in_.AcceptOp(":")) p.annotation = Ternary();
      if (in_.AcceptOp("=")) p.fallback = Ternary();
      f.params.push_back(std::move(p));
      if (!in_.AcceptOp(",")) break;
    }
    in_.ExpectOp(")");
    if (in_.AcceptOp("->")) f.returns = Ternary();
    f.body = BlockAfterColon(&f.doc);
    return f;
  }

  // `doc`: where a string that the block begins with goes.
  ast::Block BlockAfterColon(std::string* doc = nullptr) {
    in_.ExpectOp(":");
    in_.ExpectNewline();
    if (in_.Peek().kind != TokenKind::kIndent)
      in_.Fail("an indented block", "indent the body by four spaces");
    in_.Take();
    ast::Block b;
    if (doc &&
        (in_.Peek().kind == TokenKind::kDocstring || in_.Peek().kind == TokenKind::kString) &&
        in_.Peek(1).kind == TokenKind::kNewline) {
      *doc =
          in_.Peek().kind == TokenKind::kString ? "\"" + in_.Peek().text + "\"" : in_.Peek().text;
      in_.Take(), in_.Take();
    }
    while (in_.Peek().kind != TokenKind::kDedent && in_.Peek().kind != TokenKind::kEnd) {
      try {
        b.push_back(Statement());
      } catch (Failed&) {
        in_.SkipLine();
      }
    }
    if (in_.Peek().kind == TokenKind::kDedent) in_.Take();
    return b;
  }

  // A stage of one statement may stand on one line.
  ast::Block StatementAfterColon() {
    in_.ExpectOp(":");
    if (in_.IsWord("for") || in_.IsWord("if") || in_.IsWord("with"))
      in_.Fail("a statement of one line");
    return {Statement()};
  }

  ast::StmtPtr Statement() {
    auto s = std::make_shared<Stmt>();
    s->place = in_.Peek().place;
    if (in_.AcceptWord("for")) {
      s->kind = StmtKind::kFor;
      do s->targets.push_back(NameExpr(in_));
      while (in_.AcceptOp(","));
      if (!in_.AcceptWord("in")) in_.Fail("'in'");
      s->value = Ternary();
      s->body = BlockAfterColon();
    } else if (in_.AcceptWord("if")) {
      If(*s);
    } else if (in_.AcceptWord("with")) {
      s->kind = StmtKind::kWith;
      s->value = NameExpr(in_);
      s->body = in_.IsOp(":") && in_.Peek(1).kind != TokenKind::kNewline ? StatementAfterColon()
                                                                         : BlockAfterColon();
    } else if (in_.AcceptWord("return")) {
      s->kind = StmtKind::kReturn;
      if (in_.Peek().kind != TokenKind::kNewline) s->value = TupleOrExpr();
      in_.ExpectNewline();
    } else if (in_.AcceptWord("pass")) {
      in_.ExpectNewline();
    } else {
      Simple(*s);
    }
    return s;
  }

  void If(Stmt& s) {
    s.kind = StmtKind::kIf;
    s.value = Ternary();
    s.body = BlockAfterColon();
    Place place = in_.Peek().place;
    if (in_.AcceptWord("elif")) {
      auto inner = std::make_shared<Stmt>();
      inner->place = place;
      If(*inner);
      s.other.push_back(inner);
    } else if (in_.AcceptWord("else")) {
      s.other = BlockAfterColon();
    }
  }

  void Simple(Stmt& s) {
    if (in_.Peek().kind == TokenKind::kName && in_.Peek().text == "print" && in_.IsOp("(", 1)) {
      diag_.Add(
          "AK1514", in_.Peek().place, "print() is not part of the language",
          "a kernel's values are seen in what it stores: `akgen craft run` prints the outputs");
      throw Failed{};
    }
    ExprPtr left = TupleOrExpr();
    if (const std::string op = Augmented(in_.Peek()); !op.empty()) {
      s.kind = StmtKind::kAssign;
      s.targets = {left};
      in_.Take();
      ExprPtr old = left->kind == ExprKind::kSubscript ? left->args[0] : left;  // b[:] += y reads b
      s.value = NewExpr(ExprKind::kBinary, left->place, op, {old, TupleOrExpr()});
    } else if (in_.AcceptOp("=")) {
      s.kind = StmtKind::kAssign;
      s.targets = left->kind == ExprKind::kList ? left->args : std::vector<ExprPtr>{left};
      s.value = TupleOrExpr();
    } else {
      s.kind = StmtKind::kExpr;
      s.value = left;
    }
    in_.ExpectNewline();
  }

  ExprPtr TupleOrExpr() {
    ExprPtr first = Ternary();
    if (!in_.IsOp(",")) return first;
    auto list = NewExpr(ExprKind::kList, first->place, "tuple", {first});
    while (in_.AcceptOp(",")) {
      if (in_.Peek().kind == TokenKind::kNewline || in_.IsOp("=") || in_.IsOp(")")) break;
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
      p_.in_.Mistake(p_.in_.Peek().place, "an expression is nested more than 100 levels deep",
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
    if (!in_.IsWord("if")) return value;
    Place p = value->place;
    in_.Take();
    ExprPtr condition = Or();
    if (!in_.AcceptWord("else")) in_.Fail("'else'");
    return NewExpr(ExprKind::kIfElse, p, "", {value, condition, Ternary()});
  }
  ExprPtr Or() {
    ExprPtr l = And();
    while (in_.AcceptWord("or")) l = NewExpr(ExprKind::kLogic, l->place, "or", {l, And()});
    return l;
  }
  ExprPtr And() {
    ExprPtr l = Not();
    while (in_.AcceptWord("and")) l = NewExpr(ExprKind::kLogic, l->place, "and", {l, Not()});
    return l;
  }
  ExprPtr Not() {
    Deeper d(*this);
    Place p = in_.Peek().place;
    if (in_.AcceptWord("not")) return NewExpr(ExprKind::kUnary, p, "not", {Not()});
    return Compare();
  }
  ExprPtr Compare() {
    ExprPtr l = Binary(0);
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"})
      if (in_.IsOp(op)) {
        in_.Take();
        ExprPtr e = NewExpr(ExprKind::kCompare, l->place, op, {l, Binary(0)});
        for (const char* again : {"==", "!=", "<=", ">=", "<", ">"})
          if (in_.IsOp(again)) in_.Fail("one comparison", "join two comparisons with 'and'");
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
        if (in_.IsOp(op)) found = op;
      if (!found) return l;
      in_.Take();
      l = NewExpr(ExprKind::kBinary, l->place, found, {l, Binary(level + 1)});
    }
  }
  ExprPtr Unary() {
    Deeper d(*this);
    Place p = in_.Peek().place;
    for (const char* op : {"-", "+", "~"})
      if (in_.AcceptOp(op)) return NewExpr(ExprKind::kUnary, p, op, {Unary()});
    ExprPtr l = Postfix();
    if (in_.AcceptOp("**")) return NewExpr(ExprKind::kBinary, l->place, "**", {l, Unary()});
    return l;
  }
  ExprPtr Postfix() {
    ExprPtr e = Atom();
    for (;;) {
      Place open = in_.Peek().place;
      if (in_.AcceptOp("(")) {
        e = CallArgs(NewExpr(ExprKind::kCall, e->place, "", {e}), open);
      } else if (in_.AcceptOp("[")) {
        e = NewExpr(ExprKind::kSubscript, e->place, "", {e});
        do {
          if (in_.IsOp("]")) break;
          e->args.push_back(SliceOrExpr());
        } while (in_.AcceptOp(","));
        in_.ExpectClose("]", open);
      } else if (in_.IsOp(".")) {
        in_.Take();
        Place p = e->place;
        e = NewExpr(ExprKind::kAttribute, p, in_.ExpectName("an attribute's name"), {e});
        e->of_module = OfModule(*e, modules_);
      } else {
        return e;
      }
    }
  }
  ExprPtr CallArgs(ExprPtr call, Place open) {
    while (!in_.IsOp(")")) {
      if (in_.Peek().kind == TokenKind::kName && in_.IsOp("=", 1)) {
        std::string name = in_.Take().text;
        in_.Take();
        call->keywords.push_back({name, Ternary()});
      } else {
        call->args.push_back(Ternary());
      }
      if (!in_.AcceptOp(",")) break;
    }
    in_.ExpectClose(")", open);
    return call;
  }
  ExprPtr SliceOrExpr() {
    Place p = in_.Peek().place;
    ExprPtr start, stop, step;
    if (!in_.IsOp(":")) start = Ternary();
    if (!in_.IsOp(":")) return start;
    in_.Take();
    if (!in_.IsOp("]") && !in_.IsOp(",") && !in_.IsOp(":")) stop = Ternary();
    if (in_.AcceptOp(":") && !in_.IsOp("]") && !in_.IsOp(",")) step = Ternary();
    return NewExpr(ExprKind::kSlice, p, "", {start, stop, step});
  }
  ExprPtr Atom() {
    Token t = in_.Peek();
    switch (t.kind) {
      case TokenKind::kName: in_.Take(); return NewExpr(ExprKind::kName, t.place, t.text);
      case TokenKind::kString: in_.Take(); return NewExpr(ExprKind::kString, t.place, t.text);
      case TokenKind::kInt: return IntegerExpr(in_.Take(), diag_);
      case TokenKind::kFloat: {
        in_.Take();
        ExprPtr e = NewExpr(ExprKind::kFloat, t.place, t.text);
        e->float_value = std::strtod(t.text.c_str(), nullptr);
        return e;
      }
      case TokenKind::kKeyword:
        if (t.text == "True" || t.text == "False") {
          in_.Take();
          ExprPtr e = NewExpr(ExprKind::kBool, t.place, t.text);
          e->bool_value = t.text == "True";
          return e;
        }
        if (t.text == "None") return in_.Take(), NewExpr(ExprKind::kNone, t.place, "None");
        break;
      default: break;
    }
    if (in_.AcceptOp("(")) {
      ExprPtr e = TupleOrExpr();
      in_.ExpectClose(")", t.place);
      return e;
    }
    if (in_.AcceptOp("[")) {
      ExprPtr e = NewExpr(ExprKind::kList, t.place, "list");
      while (!in_.IsOp("]")) {
        e->args.push_back(Ternary());
        if (!in_.AcceptOp(",")) break;
      }
      in_.ExpectClose("]", t.place);
      return e;
    }
    in_.Fail("a value");
  }

  TokenStream in_;
  Diagnostics& diag_;
  std::vector<std::string> modules_{"torch", "math"};
  int depth_ = 0;
};

}  // namespace

ast::Module Parse(const std::string& source, Diagnostics& diagnostics) {
  auto tokens =
      Lex(source, diagnostics);  // where a word means nothing, nobody knows what the line says
  return diagnostics.empty() ? Parser(std::move(tokens), diagnostics).Run() : ast::Module();
}

}  // namespace akgen::craft
