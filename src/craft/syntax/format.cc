// Programs as text, in the one accepted layout.
#include <fmt/format.h>

#include <map>
#include <sstream>

#include "craft/syntax/lexer.h"
#include "craft/syntax/parser.h"

namespace akgen::craft {
namespace {
using ast::Expr;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtKind;

int Level(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kIfElse: return 0;
    case ExprKind::kLogic: return e.text == "or" ? 1 : 2;
    case ExprKind::kCompare: return 4;
    case ExprKind::kBinary:
      return e.text == "|"                    ? 5
             : e.text == "&"                  ? 6
             : e.text == "+" || e.text == "-" ? 7
             : e.text == "**"                 ? 10
                                              : 8;
    case ExprKind::kUnary: return e.text == "not" ? 3 : 9;
    case ExprKind::kList: return e.text == "tuple" ? -1 : 11;
    default: return 11;
  }
}

std::string At(const Expr& e, int least) {
  std::string t = ToText(e);
  return Level(e) < least ? "(" + t + ")" : t;
}

std::string Join(const std::vector<ast::ExprPtr>& args, size_t from) {
  std::string out;
  for (size_t i = from; i < args.size(); ++i) out += (i > from ? ", " : "") + At(*args[i], 0);
  return out;
}

std::string SliceText(const Expr& e) {
  std::string out;
  if (e.args[0]) out += ToText(*e.args[0]) + (e.args[1] ? " " : "");
  out += ":";
  if (e.args[1]) out += (e.args[0] ? " " : "") + ToText(*e.args[1]);
  if (e.args[2]) out += " : " + ToText(*e.args[2]);
  return out;
}

// Comments by line: those that stand alone, and those behind a statement.
struct Comments {
  std::map<int, std::string> alone, behind;
};

Comments CommentsOf(const std::string& source) {
  Comments out;
  std::istringstream in(source);
  int number = 0;
  std::string doc;  // what closes the docstring that the line lies in
  for (std::string line; std::getline(in, line);) {
    ++number;
    char quote = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      char c = line[i];
      const std::string three = line.substr(i, 3);
      if (!doc.empty()) {
        if (three == doc) doc.clear(), i += 2;
      } else if (!quote && (three == "\"\"\"" || three == "'''")) {
        doc = three, i += 2;
      } else if (quote) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '#') {
        std::string text = line.substr(i);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
        (line.find_first_not_of(" \t") == i ? out.alone : out.behind)[number] = text;
        break;
      }
    }
  }
  return out;
}

class Formatter {
 public:
  explicit Formatter(Comments c) : comments_(std::move(c)) {}

  std::string Run(const ast::Module& m) {
    for (const std::string& line : m.preamble) out_ += line + "\n";
    if (!m.preamble.empty()) out_ += "\n\n";
    for (size_t i = 0; i < m.functions.size(); ++i) {
      const ast::Function& f = m.functions[i];
      if (i) out_ += "\n\n";
      Before(f.place.line - 1, "");
      out_ += "@" + f.decorator + "\ndef " + f.name + "(";
      for (size_t p = 0; p < f.params.size(); ++p) {
        const ast::Param& param = f.params[p];
        out_ += (p ? ", " : "") + param.name;
        if (param.annotation) out_ += ": " + ToText(*param.annotation);
        if (param.fallback) out_ += (param.annotation ? " = " : "=") + ToText(*param.fallback);
      }
      out_ +=
          ")" + (f.returns ? " -> " + ToText(*f.returns) : "") + ":" + Behind(f.place.line) + "\n";
      if (!f.doc.empty()) out_ += "    " + f.doc + "\n";
      Block(f.body, 1);
    }
    for (const auto& [line, text] : comments_.alone) out_ += text + "\n";
    return out_;
  }

 private:
  void Before(int line, const std::string& in) {
    while (!comments_.alone.empty() && comments_.alone.begin()->first < line) {
      out_ += in + comments_.alone.begin()->second + "\n";
      comments_.alone.erase(comments_.alone.begin());
    }
  }
  std::string Behind(int line) {
    auto it = comments_.behind.find(line);
    return it == comments_.behind.end() ? "" : "  " + it->second;
  }
  void Block(const ast::Block& b, int depth) {
    std::string in(depth * 4, ' ');
    for (const auto& s : b) {
      Before(s->place.line, in);
      One(*s, in, depth, "if");
    }
  }
  void One(const Stmt& s, const std::string& in, int depth, const char* word) {
    std::string behind = Behind(s.place.line) + "\n";
    switch (s.kind) {
      case StmtKind::kAssign:
        out_ += in;
        for (size_t i = 0; i < s.targets.size(); ++i)
          out_ += (i ? ", " : "") + ToText(*s.targets[i]);
        out_ += " = " + ToText(*s.value) + behind;
        return;
      case StmtKind::kExpr: out_ += in + ToText(*s.value) + behind; return;
      case StmtKind::kPass: out_ += in + "pass" + behind; return;
      case StmtKind::kReturn:
        out_ += in + "return" + (s.value ? " " + ToText(*s.value) : "") + behind;
        return;
      case StmtKind::kWith:
        out_ += in + "with " + ToText(*s.value) + ":";
        if (s.body.size() == 1 && s.body[0]->place.line == s.place.line) {
          out_ += " ";
          return One(*s.body[0], "", 0, "if");
        }
        out_ += behind;
        return Block(s.body, depth + 1);
      case StmtKind::kFor:
        out_ += in + "for ";
        for (size_t i = 0; i < s.targets.size(); ++i)
          out_ += (i ? ", " : "") + ToText(*s.targets[i]);
        out_ += " in " + ToText(*s.value) + ":" + behind;
        return Block(s.body, depth + 1);
      case StmtKind::kIf:
        out_ += in + word + " " + ToText(*s.value) + ":" + behind;
        Block(s.body, depth + 1);
        if (s.other.size() == 1 && s.other[0]->kind == StmtKind::kIf &&
            s.other[0]->place.column == static_cast<int>(in.size()) + 1) {
          return One(*s.other[0], in, depth, "elif");
        }
        if (!s.other.empty()) {
          out_ += in + "else:\n";
          Block(s.other, depth + 1);
        }
        return;
    }
  }

  Comments comments_;
  std::string out_;
};
}  // namespace

std::string ToText(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kString: return "\"" + e.text + "\"";
    case ExprKind::kUnary:
      return e.text == "not" ? "not " + At(*e.args[0], 3) : e.text + At(*e.args[0], 9);
    case ExprKind::kBinary:
      if (e.text == "**") return At(*e.args[0], 11) + " ** " + At(*e.args[1], 9);
      [[fallthrough]];
    case ExprKind::kLogic:
      return At(*e.args[0], Level(e)) + " " + e.text + " " + At(*e.args[1], Level(e) + 1);
    case ExprKind::kCompare: return At(*e.args[0], 5) + " " + e.text + " " + At(*e.args[1], 5);
    case ExprKind::kIfElse:
      return At(*e.args[0], 1) + " if " + At(*e.args[1], 1) + " else " + At(*e.args[2], 0);
    case ExprKind::kCall: {
      std::string out = At(*e.args[0], 11) + "(" + Join(e.args, 1);
      for (const auto& k : e.keywords)
        out += (out.back() == '(' ? "" : ", ") + k.name + "=" + ToText(*k.value);
      return out + ")";
    }
    case ExprKind::kAttribute: return At(*e.args[0], 11) + "." + e.text;
    case ExprKind::kSubscript: return At(*e.args[0], 11) + "[" + Join(e.args, 1) + "]";
    case ExprKind::kSlice: return SliceText(e);
    case ExprKind::kList:
      if (e.text != "tuple") return "[" + Join(e.args, 0) + "]";
      return Join(e.args, 0) + (e.args.size() == 1 ? "," : "");
    default: return e.text;
  }
}

std::string Format(const std::string& source, Diagnostics& diagnostics) {
  ast::Module m = Parse(source, diagnostics);
  if (!diagnostics.empty()) return source;
  return Formatter(CommentsOf(source)).Run(m);
}

}  // namespace akgen::craft
