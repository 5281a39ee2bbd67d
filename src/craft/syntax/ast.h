// The program as written. Python's grammar, cut down to what an operator needs
// (docs/craft/grammar.gbnf).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "craft/syntax/diagnostic.h"

namespace akgen::craft::ast {

struct Expr;
using ExprPtr = std::shared_ptr<Expr>;

enum class ExprKind {
  kName,
  kInt,
  kFloat,
  kString,
  kBool,
  kNone,
  kUnary,      // text: - + not ~
  kBinary,     // text: + - * / // % @ ** & |
  kCompare,    // text: == != < <= > >=
  kLogic,      // text: and or
  kIfElse,     // args: value, condition, other
  kCall,       // args[0] callee, the rest positional; keywords
  kAttribute,  // args[0].text
  kSubscript,  // args[0][args[1..]]
  kSlice,      // args: start, stop, step, each may be null
  kList,       // [a, b] or a, b
};

struct Keyword {
  std::string name;
  ExprPtr value;
};

struct Expr {
  ExprKind kind = ExprKind::kNone;
  Place place;
  std::string text;
  int64_t int_value = 0;
  double float_value = 0;
  bool bool_value = false;
  bool of_module = false;  // kAttribute: of a Python module, as torch.exp
  std::vector<ExprPtr> args;
  std::vector<Keyword> keywords;
};

struct Stmt;
using StmtPtr = std::shared_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

enum class StmtKind { kAssign, kExpr, kFor, kIf, kWith, kReturn, kPass };

struct Stmt {
  StmtKind kind = StmtKind::kPass;
  Place place;
  std::vector<ExprPtr> targets;  // kAssign, kFor
  ExprPtr
      value;  // kAssign: right side; kFor: what is walked; kIf: condition; kReturn, kExpr, kWith
  Block body, other;  // kIf: other is the else branch
};

struct Param {
  std::string name;
  Place place;
  ExprPtr annotation, fallback;
};

struct Function {
  std::string decorator, name;  // kernel or host
  Place place;
  std::vector<Param> params;
  ExprPtr returns;  // as annotated: without effect
  std::string doc;  // as written, with its quotes
  Block body;
};

struct Module {
  std::vector<std::string> preamble;  // import lines and a docstring, as written: without effect
  std::vector<Function> functions;
};

}  // namespace akgen::craft::ast
