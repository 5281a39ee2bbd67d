// akgen-mutator: lists places for small faults in C++ sources, as JSON, one place a line.
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Tooling/CommonOptionsParser.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/CommandLine.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>

#include "mutator/visitor.h"

namespace akgen::mutator {
namespace {

llvm::cl::OptionCategory options("akgen-mutator");
llvm::cl::opt<std::string> root("root", llvm::cl::desc("only files below this folder (absolute)"),
                                llvm::cl::Required, llvm::cl::cat(options));

constexpr const char* kOverview =
    "Lists places for small faults in C++ sources: one JSON object a line, each place once; ahead "
    "of those of a "
    "source\n"
    "the files below --root that it reads.\n\n"
    "  akgen-mutator -p build/commands --root $PWD/src FILE...\n"
    "  akgen-mutator --root $PWD subject.cc -- -std=c++20\n\n"
    "Exit status: 0 listed, 1 a source does not compile.\n";

nlohmann::json AsJson(const Edit& e) {
  return {{"offset", e.offset}, {"length", e.length}, {"text", e.text}};
}

// Which files below root the unit is made of: while they stay as they are, so does the list.
void TellFiles(const clang::SourceManager& sources) {
  std::set<std::string> files;
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file)
    if (const std::string path = file->first.getFileEntry().tryGetRealPathName().str();
        path.starts_with(root + "/"))
      files.insert(path);
  llvm::outs() << nlohmann::json{{"reads", files}}.dump(-1, ' ', false,
                                                        nlohmann::json::error_handler_t::replace)
               << "\n";
}

class Consumer : public clang::ASTConsumer {
 public:
  void HandleTranslationUnit(clang::ASTContext& context) override {
    TellFiles(context.getSourceManager());
    FindSites(context, root, [](Site site) {
      const Edit& change = site.edits.back();
      if (!seen_.emplace(site.file, change.offset, change.length, site.after).second) return;
      nlohmann::json edits = nlohmann::json::array();
      for (const Edit& e : site.edits) edits.push_back(AsJson(e));
      const nlohmann::json line = {{"file", site.file},
                                   {"function", site.function},
                                   {"kind", site.kind},
                                   {"before", site.before},
                                   {"after", site.after},
                                   {"line", site.line},
                                   {"readable", AsJson(site.readable)},
                                   {"edits", edits}};
      llvm::outs() << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    });
  }

 private:
  // Of all units.
  static inline std::set<std::tuple<std::string, unsigned, unsigned, std::string>> seen_;
};

class Action : public clang::ASTFrontendAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>();
  }
};

int Main(int argc, const char** argv) {
  auto parsed = clang::tooling::CommonOptionsParser::create(argc, argv, options,
                                                            llvm::cl::OneOrMore, kOverview);
  if (!parsed) {
    llvm::errs() << llvm::toString(parsed.takeError());
    return 2;
  }
  clang::tooling::ClangTool tool(parsed->getCompilations(), parsed->getSourcePathList());
  tool.appendArgumentsAdjuster(
      clang::tooling::getInsertArgumentAdjuster({"-resource-dir", AKGEN_CLANG_RESOURCES, "-w"},
                                                clang::tooling::ArgumentInsertPosition::BEGIN));
  return tool.run(clang::tooling::newFrontendActionFactory<Action>().get()) ? 1 : 0;
}

}  // namespace
}  // namespace akgen::mutator

int main(int argc, const char** argv) { return akgen::mutator::Main(argc, argv); }
