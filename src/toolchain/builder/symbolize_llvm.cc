// Source lines of addresses, by LLVM in the process.
#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Object/ObjectFile.h>

#include "toolchain/builder/compiler.h"

namespace akgen::toolchain {

std::vector<SourceLine> SymbolizeObject(const std::string& so,
                                        const std::vector<uint64_t>& return_addresses) {
  llvm::symbolize::LLVMSymbolizer::Options options;
  // Names as the builder wrote them: relative to the project, not to a folder of this machine.
  options.PathStyle = llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath;
  options.UseSymbolTable = true;
  options.Demangle = true;
  llvm::symbolize::LLVMSymbolizer symbolizer(options);
  std::vector<SourceLine> out;
  for (uint64_t a : return_addresses) {
    SourceLine line;
    // One byte back lies the call itself.
    auto info =
        symbolizer.symbolizeCode(so, {a ? a - 1 : 0, llvm::object::SectionedAddress::UndefSection});
    if (!info) {
      llvm::consumeError(info.takeError());
    } else {
      if (info->FileName != llvm::DILineInfo::BadString) line.file = info->FileName;
      if (info->FunctionName != llvm::DILineInfo::BadString) line.function = info->FunctionName;
      line.line = int(info->Line);
    }
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace akgen::toolchain
