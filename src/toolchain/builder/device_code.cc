#include "toolchain/builder/device_code.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/Preprocessor.h>

#include <vector>

#include "toolchain/builder/gm_variables.h"

namespace akgen::toolchain {
namespace {
// Names that the preprocessor hands on: of the chip's interface, and of the C++ runtime (the
// compiler calls those, and some call what they are given).
bool OfTheInterface(llvm::StringRef name) {
  if (name == "disable_sanitizer_instrumentation") return true;
  if (name.starts_with("__cxa_") || name.starts_with("_Unwind_") || name.starts_with("__gxx_"))
    return true;
  // akgen_entry_: an entry renamed because the C library has its name; akgen_copy_of_: a macro's
  // local variable.
  return name.starts_with("akgen_") && name != "akgen_impl" && !name.starts_with("akgen_entry_") &&
         !name.starts_with("akgen_copy_of_");
}

// Which places lie in files of the candidate.
class Candidate {
 public:
  Candidate(const VirtualFiles& files, const VirtualLinks& links, const std::string& prelude)
      : files_(files), links_(links), prelude_(prelude) {}
  bool Wrote(const clang::SourceManager& sources, clang::SourceLocation at) const {
    const std::string file = sources.getFilename(at).str();
    return (files_.contains(file) || links_.contains(file)) && file != prelude_;
  }
  // Neither a macro of the headers used by the candidate nor one of the candidate's used by the
  // headers is all theirs.
  bool HasPartIn(const clang::SourceManager& sources, clang::SourceLocation at) const {
    return Wrote(sources, sources.getExpansionLoc(at)) ||
           Wrote(sources, sources.getSpellingLoc(at));
  }

 private:
  const VirtualFiles& files_;
  const VirtualLinks& links_;
  const std::string& prelude_;
};

// Attributes that no text shows where they come from a pragma or a macro: they make a function the
// headers' own, or another function under a name of the candidate's choice.
class Attributes : public clang::ASTConsumer, public clang::RecursiveASTVisitor<Attributes> {
 public:
  Attributes(clang::CompilerInstance& compiler, const Candidate& candidate)
      : sources_(compiler.getSourceManager()),
        diagnostics_(compiler.getDiagnostics()),
        candidate_(candidate) {
    refused_ = diagnostics_.getCustomDiagID(
        clang::DiagnosticsEngine::Error,
        "the attribute '%0' belongs to the simulated chip: a kernel has the Ascend C interface");
  }
  // What was precompiled is not the candidate's, and a visit would read all of its bodies.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* d : group)
      if (!d->isFromASTFile()) TraverseDecl(d);
    return true;
  }
  // NOLINTNEXTLINE(readability-identifier-naming): the visitor's own names
  bool VisitNamedDecl(clang::NamedDecl* d) {
    if (!d->hasAttrs() || !candidate_.HasPartIn(sources_, d->getLocation())) return true;
    for (const clang::Attr* a : d->attrs()) {
      const bool other_name =
          llvm::isa<clang::AliasAttr, clang::WeakRefAttr, clang::IFuncAttr, clang::AsmLabelAttr>(a);
      if (other_name || llvm::isa<clang::DisableSanitizerInstrumentationAttr>(a))
        diagnostics_.Report(sources_.getExpansionLoc(d->getLocation()), refused_)
            << a->getSpelling();
    }
    return true;
  }

 private:
  const clang::SourceManager& sources_;
  clang::DiagnosticsEngine& diagnostics_;
  const Candidate& candidate_;
  unsigned refused_ = 0;
};

class CandidateAction : public clang::EmitObjAction {
 public:
  CandidateAction(const VirtualFiles& files, const VirtualLinks& links, const std::string& prelude,
                  bool device)
      : candidate_(files, links, prelude), device_(device) {}

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& ci) override {
    auto& pp = ci.getPreprocessor();
    auto& diags = ci.getDiagnostics();
    unsigned inline_asm = diags.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                "inline assembly of the host is not %0");
    unsigned interface = diags.getCustomDiagID(
        clang::DiagnosticsEngine::Error,
        "'%0' belongs to the simulated chip: a kernel has the Ascend C interface");
    pp.setTokenWatcher([this, &pp, inline_asm, interface](const clang::Token& token) {
      const clang::SourceManager& sources = pp.getSourceManager();
      if (token.is(clang::tok::kw_asm)) {
        if (candidate_.Wrote(sources, sources.getExpansionLoc(token.getLocation())))
          pp.getDiagnostics().Report(token.getLocation(), inline_asm)
              << (device_ ? "kernel code" : "C++");
      } else if (const clang::IdentifierInfo* name =
                     token.isAnnotation() ? nullptr : token.getIdentifierInfo();
                 device_ && name && OfTheInterface(name->getName())) {
        // What a macro of the headers brings is theirs; a name glued together has no file.
        auto spelled = sources.getSpellingLoc(token.getLocation());
        if (sources.isWrittenInScratchSpace(spelled) || candidate_.Wrote(sources, spelled))
          pp.getDiagnostics().Report(token.getLocation(), interface) << name->getName();
      }
    });
    return EmitObjAction::BeginSourceFileAction(ci);
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& ci,
                                                        llvm::StringRef file) override {
    if (!device_) return EmitObjAction::CreateASTConsumer(ci, file);
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    all.push_back(std::make_unique<Attributes>(ci, candidate_));
    all.push_back(MarkGmVariables(ci));
    all.push_back(EmitObjAction::CreateASTConsumer(ci, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }

 private:
  Candidate candidate_;
  const bool device_;
};
}  // namespace

std::unique_ptr<clang::CodeGenAction> DeviceCode(const VirtualFiles& files,
                                                 const VirtualLinks& links,
                                                 const std::string& prelude) {
  return std::make_unique<CandidateAction>(files, links, prelude, true);
}
std::unique_ptr<clang::CodeGenAction> HostCode(const VirtualFiles& files, const VirtualLinks& links,
                                               const std::string& prelude) {
  return std::make_unique<CandidateAction>(files, links, prelude, false);
}

}  // namespace akgen::toolchain
