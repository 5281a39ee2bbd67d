#include "corpus/teach/api_table.h"

#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/regex.h"
#include "generate/api_text.h"

namespace akgen::corpus {
namespace {
namespace fs = std::filesystem;

void AddWords(const std::string& text, std::set<std::string>& out) {
  std::string word;
  for (char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      word += c;
    else if (!word.empty())
      out.insert(word), word.clear();
  }
}
}  // namespace

ApiTable ApiTable::Load() {
  ApiTable out;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(base::HomeDir() / "include/ascendc", ec), end;
       !ec && it != end; it.increment(ec))
    if (auto text = it->is_regular_file() ? base::ReadFile(it->path())
                                          : base::Result<std::string>(std::string());
        text.ok())
      AddWords(*text, out.names_);
  for (const auto& [list, functions] : generate::DtypesFromHeaders())
    for (const std::string& f : functions) AddWords(list, out.dtypes_[f]);
  return out;
}

std::string ApiTable::Objection(const std::string& text, const std::string& given) const {
  static const base::Regex kCall(R"(\b([A-Z][A-Za-z0-9]+)\s*(?:<\s*([a-z][a-z0-9_]*)\s*>)?\s*\()");
  static const std::set<std::string> kDtypes = {"half",    "float",    "bfloat16_t", "double",
                                                "int8_t",  "uint8_t",  "int16_t",    "uint16_t",
                                                "int32_t", "uint32_t", "int64_t",    "uint64_t"};
  std::set<std::string> known;
  AddWords(given, known);
  for (const base::Match& m : kCall.All(text)) {
    const std::string &name = m[1].text, &dtype = m[2].text;
    const bool defined = text.find("class " + name) != std::string::npos ||
                         text.find("struct " + name) != std::string::npos ||
                         text.find("void " + name + "(") != std::string::npos;
    if (!names_.contains(name) && !known.contains(name) && !defined)
      return "it calls " + name + ", which the interface does not have";
    auto takes = dtypes_.find(name);
    if (takes != dtypes_.end() && kDtypes.contains(dtype) && !takes->second.contains(dtype))
      return name + " does not take " + dtype;
  }
  return "";
}

}  // namespace akgen::corpus
