#include "toolchain/builder/header_functions.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>

#include <vector>

namespace akgen::toolchain {
namespace {
// clang leaves functions that are always inlined to those who call them.
class LeaveOwnWork : public clang::ASTConsumer, public clang::RecursiveASTVisitor<LeaveOwnWork> {
 public:
  void HandleTranslationUnit(clang::ASTContext& context) override { TraverseAST(context); }
  // NOLINTBEGIN(readability-identifier-naming): the visitor's own names
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* f) {
    if (f->doesThisDeclarationHaveABody() && !f->isDependentContext() &&
        !f->hasAttr<clang::DisableSanitizerInstrumentationAttr>() &&
        !f->hasAttr<clang::AlwaysInlineAttr>())
      f->addAttr(clang::AlwaysInlineAttr::CreateImplicit(f->getASTContext()));
    return true;
  }
  // NOLINTEND(readability-identifier-naming)
};

class Action : public clang::GeneratePCHAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& ci,
                                                        llvm::StringRef file) override {
    auto writer = GeneratePCHAction::CreateASTConsumer(ci, file);
    if (!writer) return nullptr;
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    all.push_back(std::make_unique<LeaveOwnWork>());
    all.push_back(std::move(writer));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }
};
}  // namespace

std::unique_ptr<clang::FrontendAction> PrecompileFunctions() { return std::make_unique<Action>(); }

}  // namespace akgen::toolchain
