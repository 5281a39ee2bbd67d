#include "mutator/visitor.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include <optional>
#include <utility>
#include <vector>

#include "mutator/text.h"

namespace akgen::mutator {
namespace {

constexpr unsigned kMaxText = 400;  // longer expressions are not written twice
const std::string kOn = kSwitch;

bool IsLambdaCall(const clang::FunctionDecl* function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  return method && method->getParent()->isLambda();
}

// What leaves the function or the loop, alone or alone in braces.
bool Leaves(const clang::Stmt* body) {
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(body))
    return block->size() == 1 && Leaves(block->body_front());
  return llvm::isa<clang::ReturnStmt, clang::ContinueStmt, clang::BreakStmt>(body);
}

// `<` becomes `<=`, and so on; nothing for == and !=, which are negated.
const char* AtTheLimit(clang::BinaryOperatorKind op) {
  switch (op) {
    case clang::BO_LT: return "<=";
    case clang::BO_LE: return "<";
    case clang::BO_GT: return ">=";
    case clang::BO_GE: return ">";
    default: return nullptr;
  }
}

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
 public:
  Visitor(clang::ASTContext& context, std::string root, const std::function<void(Site)>& found)
      : context_(context), text_(context), root_(std::move(root) + "/"), found_(found) {}

  bool TraverseDecl(clang::Decl* decl);
  bool TraverseStmt(clang::Stmt* statement);
  // What has to be a constant, or is not evaluated.
  bool TraverseTypeLoc(clang::TypeLoc) { return true; }
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc&) { return true; }
  bool TraverseAttr(clang::Attr*) { return true; }
  bool TraverseConstantExpr(clang::ConstantExpr*) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr*) { return true; }
  bool TraverseCXXTypeidExpr(clang::CXXTypeidExpr*) { return true; }
  bool TraverseRequiresExpr(clang::RequiresExpr*) { return true; }
  bool TraverseTypeTraitExpr(clang::TypeTraitExpr*) { return true; }
  // Once, with the types that its elements are converted to.
  bool TraverseInitListExpr(clang::InitListExpr* list);

  bool VisitBinaryOperator(clang::BinaryOperator* e);
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* e);
  bool VisitCXXRewrittenBinaryOperator(clang::CXXRewrittenBinaryOperator* e);
  bool VisitIfStmt(clang::IfStmt* s);
  bool VisitConditionalOperator(clang::ConditionalOperator* e);
  bool VisitCallExpr(clang::CallExpr* e);
  bool VisitIntegerLiteral(clang::IntegerLiteral* e);
  bool VisitCXXBoolLiteralExpr(clang::CXXBoolLiteralExpr* e);
  bool VisitCompoundStmt(clang::CompoundStmt* s);
  bool VisitForStmt(clang::ForStmt* s) { return MayDrop(s->getBody()); }
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* s) { return MayDrop(s->getBody()); }

 private:
  bool IsOwn(const clang::Decl* decl) const;
  bool IsLeftOut(const clang::Decl* decl) const;
  std::optional<Edit> AsConst(const clang::VarDecl* table) const;
  bool Enter(const clang::VarDecl* variable);
  void Add(const Span& span, const std::string& kind, const std::string& after,
           const std::string& text);
  void Negated(const clang::Expr* e);
  void DropOperand(const clang::Expr* operand, const Span& whole, bool both);
  void DropCondition(const clang::Expr* condition, const clang::Stmt* body);
  void OtherLimit(const clang::CallExpr* call, const clang::FunctionDecl* callee);
  void SwapArguments(const clang::CallExpr* call, const clang::FunctionDecl* callee);
  void Constant(const Span& span, const std::string& after, const std::string& text);
  std::string ConvertedTo() const;
  bool MayDrop(clang::Stmt* statement);
  // The node `up` levels above the one that is visited, implicit ones counted.
  const clang::Stmt* Parent(size_t up) const {
    return up < parents_.size() ? parents_[parents_.size() - 1 - up] : nullptr;
  }

  clang::ASTContext& context_;
  Text text_;
  std::string root_;
  const std::function<void(Site)>& found_;
  std::vector<const clang::Stmt*> parents_;  // the visited node is the last
  struct Place {
    std::string function;
    std::optional<Edit> table;  // inside a constexpr table
    bool in_table = false;
  } place_;
};

bool Visitor::IsOwn(const clang::Decl* decl) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  return text_.File(sources.getFileID(sources.getExpansionLoc(decl->getLocation())))
      .starts_with(root_);
}

void Visitor::Add(const Span& span, const std::string& kind, const std::string& after,
                  const std::string& text) {
  const std::string file = text_.File(span.file);
  if (!file.starts_with(root_) || span.length > kMaxText) return;
  Site site{file,
            place_.function,
            kind,
            span.text,
            after,
            text_.Line(span),
            {span.offset, span.length, after},
            {}};
  if (place_.table) site.edits.push_back(*place_.table);
  site.edits.push_back({span.offset, span.length, text});
  found_(std::move(site));
}

bool Visitor::IsLeftOut(const clang::Decl* decl) const {
  if (llvm::isa<clang::StaticAssertDecl, clang::EnumConstantDecl, clang::ConceptDecl>(decl))
    return true;
  if (decl->isImplicit() && !llvm::isa<clang::CXXMethodDecl>(decl)) return true;
  if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(decl))
    return space->isStdNamespace();
  if (decl->getDeclContext() && decl->getDeclContext()->isTranslationUnit() && !IsOwn(decl))
    return true;
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl);
  return function && !IsLambdaCall(function) && (function->isConstexpr() || !IsOwn(function));
}

// The edit that makes a constexpr table a const one; nothing for what has to stay as it is.
std::optional<Edit> Visitor::AsConst(const clang::VarDecl* table) const {
  const clang::QualType type = table->getType();
  if (!table->hasGlobalStorage() || table->isCXXClassMember() ||
      !(type->isArrayType() || type->isRecordType()))
    return {};
  const clang::SourceLocation begin = table->getOuterLocStart(), name = table->getLocation();
  if (begin.isMacroID() || name.isMacroID()) return {};
  const auto [file, from] = context_.getSourceManager().getDecomposedLoc(begin);
  const auto [same, to] = context_.getSourceManager().getDecomposedLoc(name);
  if (file != same || to <= from) return {};
  const size_t word = text_.Between(file, from, to).find("constexpr");
  if (word == std::string::npos) return {};
  return Edit{from + unsigned(word), 9, "const"};
}

// False: nothing in it can hold a fault.
bool Visitor::Enter(const clang::VarDecl* variable) {
  place_.in_table = variable->hasGlobalStorage();
  if (place_.in_table && !variable->isLocalVarDecl())
    place_.function = variable->getQualifiedNameAsString();
  if (variable->isConstexpr()) return bool(place_.table = AsConst(variable));
  // A const number is mostly the bound of something.
  const clang::Expr* value = variable->getInit();
  return !value || value->isValueDependent() ||
         !variable->mightBeUsableInConstantExpressions(context_);
}

bool Visitor::TraverseDecl(clang::Decl* decl) {
  if (!decl || IsLeftOut(decl)) return true;
  const Place outside = place_;
  bool inside = true;
  if (const auto* f = llvm::dyn_cast<clang::FunctionDecl>(decl); f && !IsLambdaCall(f))
    place_ = {f->getQualifiedNameAsString(), {}, false};
  else if (const auto* v = llvm::dyn_cast<clang::VarDecl>(decl);
           v && !llvm::isa<clang::ParmVarDecl>(v))
    inside = Enter(v);
  else if (const auto* field = llvm::dyn_cast<clang::FieldDecl>(decl))
    place_.function = field->getQualifiedNameAsString();
  if (inside) RecursiveASTVisitor::TraverseDecl(decl);
  place_ = outside;
  return true;
}

bool Visitor::TraverseStmt(clang::Stmt* statement) {
  if (!statement) return true;
  if (auto* branch = llvm::dyn_cast<clang::IfStmt>(statement); branch && branch->isConstexpr()) {
    return TraverseStmt(branch->getThen()) && TraverseStmt(branch->getElse());
  }
  parents_.push_back(statement);
  const bool on = RecursiveASTVisitor::TraverseStmt(statement);
  parents_.pop_back();
  return on;
}

bool Visitor::TraverseInitListExpr(clang::InitListExpr* list) {
  if (clang::InitListExpr* typed = list->getSemanticForm()) list = typed;
  for (clang::Stmt* element : list->children())
    if (!TraverseStmt(element)) return false;
  return true;
}

void Visitor::Negated(const clang::Expr* e) {
  const auto span = text_.Of(e->getSourceRange());
  if (span && e->getType()->isBooleanType())
    Add(*span, "comparison", "!(" + span->text + ")", "((" + span->text + ") != " + kOn + ")");
}

// `both`: of &&, where what is left out counts as true.
void Visitor::DropOperand(const clang::Expr* operand, const Span& whole, bool both) {
  const auto span = text_.Of(operand->getSourceRange());
  if (!span || span->file != whole.file || span->offset < whole.offset) return;
  std::string after = whole.text;
  after.replace(span->offset - whole.offset, span->length, both ? "true" : "false");
  const Edit readable{span->offset, span->length, both ? "true" : "false"};
  Site site{text_.File(span->file), place_.function, "condition", whole.text, after,
            text_.Line(*span),      readable,        {}};
  if (!site.file.starts_with(root_) || whole.length > kMaxText) return;
  site.edits.push_back(
      {span->offset, span->length,
       both ? "(" + kOn + " || (" + span->text + "))" : "(!" + kOn + " && (" + span->text + "))"});
  found_(std::move(site));
}

bool Visitor::VisitBinaryOperator(clang::BinaryOperator* e) {
  const auto span = text_.Of(e->getSourceRange());
  if (!span || place_.table) return true;
  if (e->isLogicalOp()) {
    for (const clang::Expr* operand : {e->getLHS(), e->getRHS()}) {
      const auto* inner = llvm::dyn_cast<clang::BinaryOperator>(operand->IgnoreParenImpCasts());
      if (!inner || inner->getOpcode() != e->getOpcode())
        DropOperand(operand, *span, e->getOpcode() == clang::BO_LAnd);
    }
  } else if (e->getOpcode() == clang::BO_EQ || e->getOpcode() == clang::BO_NE) {
    Negated(e);
  } else if (const char* other = AtTheLimit(e->getOpcode())) {
    const auto lhs = text_.Of(e->getLHS()->getSourceRange()),
               rhs = text_.Of(e->getRHS()->getSourceRange());
    if (!lhs || !rhs) return true;
    const std::string after = lhs->text + " " + other + " " + rhs->text;
    Add(*span, "comparison", after, "(" + kOn + " ? (" + after + ") : (" + span->text + "))");
  }
  return true;
}

bool Visitor::VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* e) {
  if (!place_.table &&
      (e->getOperator() == clang::OO_EqualEqual || e->getOperator() == clang::OO_ExclaimEqual))
    Negated(e);
  return true;
}

bool Visitor::VisitCXXRewrittenBinaryOperator(clang::CXXRewrittenBinaryOperator* e) {
  if (!place_.table && (e->getOperator() == clang::BO_EQ || e->getOperator() == clang::BO_NE))
    Negated(e);
  return true;
}

void Visitor::DropCondition(const clang::Expr* condition, const clang::Stmt* body) {
  const auto span = text_.Of(condition->getSourceRange());
  if (!span || place_.table) return;
  Add(*span, body && Leaves(body) ? "early_return" : "condition", "false",
      "(!" + kOn + " && (" + span->text + "))");
  Add(*span, "condition", "true", "(" + kOn + " || (" + span->text + "))");
}

bool Visitor::VisitIfStmt(clang::IfStmt* s) {
  if (!s->isConstexpr() && !s->isConsteval() && !s->getConditionVariable() && s->getCond())
    DropCondition(s->getCond(), s->getElse() ? nullptr : s->getThen());
  return true;
}

bool Visitor::VisitConditionalOperator(clang::ConditionalOperator* e) {
  DropCondition(e->getCond(), nullptr);
  return true;
}

void Visitor::OtherLimit(const clang::CallExpr* call, const clang::FunctionDecl* callee) {
  const std::string name = callee->getNameAsString();
  if (!callee->isInStdNamespace() || (name != "min" && name != "max")) return;
  const auto span = text_.Of(call->getSourceRange());
  if (!span || place_.table || !span->text.starts_with("std::" + name)) return;
  const std::string after =
      std::string("std::") + (name == "min" ? "max" : "min") + span->text.substr(5 + name.size());
  Add(*span, "limit", after, "(" + kOn + " ? " + after + " : " + span->text + ")");
}

// Does the parameter take what it is given by value or to read it?
bool OnlyRead(clang::QualType type) {
  if (type->isRValueReferenceType()) return false;
  return !type->isLValueReferenceType() || type->getPointeeType().isConstQualified();
}

void Visitor::SwapArguments(const clang::CallExpr* call, const clang::FunctionDecl* callee) {
  const auto whole = text_.Of(call->getSourceRange());
  if (!whole || place_.table || callee->isVariadic() || callee->isInStdNamespace()) return;
  for (unsigned i = 0; i + 1 < call->getNumArgs() && i + 1 < callee->getNumParams(); ++i) {
    const clang::QualType one = callee->getParamDecl(i)->getType(),
                          two = callee->getParamDecl(i + 1)->getType();
    if (!OnlyRead(one) || !OnlyRead(two) || call->getArg(i + 1)->isDefaultArgument()) continue;
    if (context_.getCanonicalType(one.getNonReferenceType()).getUnqualifiedType() !=
        context_.getCanonicalType(two.getNonReferenceType()).getUnqualifiedType())
      continue;
    const auto a = text_.Of(call->getArg(i)->getSourceRange()),
               b = text_.Of(call->getArg(i + 1)->getSourceRange());
    if (!a || !b || a->file != whole->file || a->text == b->text ||
        b->offset < a->offset + a->length)
      continue;
    std::string after = whole->text;
    after.replace(b->offset - whole->offset, b->length, a->text);
    after.replace(a->offset - whole->offset, a->length, b->text);
    Add(*whole, "argument", after, "(" + kOn + " ? " + after + " : " + whole->text + ")");
  }
}

bool Visitor::VisitCallExpr(clang::CallExpr* e) {
  const clang::FunctionDecl* callee = e->getDirectCallee();
  if (!callee || llvm::isa<clang::CXXOperatorCallExpr>(e) || e->isTypeDependent()) return true;
  OtherLimit(e, callee);
  SwapArguments(e, callee);
  return true;
}

// The built-in number that the visited literal becomes, as it is written; empty where it stays what
// it is.
std::string Visitor::ConvertedTo() const {
  const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(Parent(1));
  if (!cast) return {};
  const clang::QualType type = cast->getType().getCanonicalType().getUnqualifiedType();
  return type->isBuiltinType() && type->isArithmeticType()
             ? type.getAsString(context_.getPrintingPolicy())
             : "?";
}

void Visitor::Constant(const Span& span, const std::string& after, const std::string& text) {
  const bool passed = llvm::isa_and_nonnull<clang::CallExpr, clang::CXXConstructExpr>(Parent(1)) ||
                      llvm::isa_and_nonnull<clang::CallExpr, clang::CXXConstructExpr>(Parent(2));
  Add(span, place_.in_table ? "table" : passed ? "argument" : "constant", after, text);
}

bool Visitor::VisitIntegerLiteral(clang::IntegerLiteral* e) {
  const auto span = text_.Of(e->getSourceRange());
  const std::string to = ConvertedTo();
  if (!span || to == "?" || to == "bool" || !e->getValue().isIntN(62)) return true;
  const uint64_t value = e->getValue().getZExtValue();
  const size_t digits = span->text.starts_with("0x")
                            ? span->text.find_first_not_of("0123456789abcdefABCDEFx'")
                            : span->text.find_first_not_of("0123456789'");
  const std::string suffix = digits == std::string::npos ? "" : span->text.substr(digits);
  const auto other = [&](uint64_t number) {
    const std::string after = std::to_string(number) + suffix;
    const std::string chosen = "(" + kOn + " ? " + after + " : " + span->text + ")";
    Constant(*span, after, to.empty() ? chosen : "static_cast<" + to + ">" + chosen);
  };
  other(value + 1);
  if (value > 0) other(value - 1);
  return true;
}

bool Visitor::VisitCXXBoolLiteralExpr(clang::CXXBoolLiteralExpr* e) {
  const auto span = text_.Of(e->getSourceRange());
  if (span)
    Constant(*span, e->getValue() ? "false" : "true", e->getValue() ? "(!" + kOn + ")" : kOn);
  return true;
}

// A statement that changes something and can be left out.
bool Visitor::MayDrop(clang::Stmt* statement) {
  const auto* e = llvm::dyn_cast_or_null<clang::Expr>(statement);
  if (!e) return true;
  const clang::Expr* call = e->IgnoreImplicit();
  bool changes = false;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(call))
    changes = binary->isAssignmentOp();
  if (const auto* overloaded = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call))
    changes = overloaded->isAssignmentOp();
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(call))
    changes = member->getMethodDecl() && !member->getMethodDecl()->isConst();
  const auto span = text_.Of(e->getSourceRange());
  if (changes && span)
    Add(*span, "reset", "", "(" + kOn + " ? (void)0 : (void)(" + span->text + "))");
  return true;
}

bool Visitor::VisitCompoundStmt(clang::CompoundStmt* s) {
  for (clang::Stmt* statement : s->body()) {
    MayDrop(statement);
    if (auto* branch = llvm::dyn_cast<clang::IfStmt>(statement)) {
      MayDrop(branch->getThen());
      MayDrop(branch->getElse());
    }
  }
  return true;
}

}  // namespace

void FindSites(clang::ASTContext& context, const std::string& root,
               const std::function<void(Site)>& found) {
  Visitor(context, root, found).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace akgen::mutator
