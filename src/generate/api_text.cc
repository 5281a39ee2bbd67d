#include "generate/api_text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/files.h"
#include "base/regex.h"
#include "base/toml.h"
#include "generate/examples.h"

namespace akgen::generate {
namespace fs = std::filesystem;
using base::Error;
using base::Result;

namespace {
std::set<std::string> WordsOf(const std::string& text) {
  std::set<std::string> out;
  std::string word;
  for (char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      word += c;
    else if (!word.empty())
      out.insert(word), word.clear();
  }
  return out;
}
}  // namespace

std::map<std::string, std::set<std::string>> DtypesFromHeaders() {
  // Rows that declare their functions, and what the headers declare by hand, in one line or
  // several.
  static const base::Regex kRow(
      R"(AKGEN_VEC_OP\((\w+), \w+, (?:unary|binary|scalar|math|math2), \(([^)]+)\))");
  static const base::Regex kByHand(
      R"re((?:AKGEN_(?:UNARY|BINARY|SCALAR|MATH2)\((\w+),(?:[^"\n]|\n {6,})*|AKGEN_(?:REQUIRE_DTYPE|MATH_REQUIRE)\("(\w+)",(?:[^"\n]|\n {6,})*)"([^"\n]+)")re");
  std::map<std::string, std::set<std::string>> out;
  const fs::path headers = base::HomeDir() / "include/ascendc";
  if (auto rows = base::ReadFile(headers / "akgen/vec_ops.inc"); rows.ok())
    for (const base::Match& m : kRow.All(*rows)) out[m[2].text].insert(m[1].text);
  for (const char* name : {"vec_unary.h", "vec_binary.h", "vec_scalar.h", "vec_reduce.h",
                           "vec_cmpsel.h", "vec_fill.h", "vec_sort.h", "adv_math.h", "adv_nn.h"}) {
    auto text = base::ReadFile(headers / "kernel" / name);
    if (!text.ok()) continue;
    for (const base::Match& m : kByHand.All(*text))
      out[m[3].text].insert(m[1].matched ? m[1].text : m[2].text);
  }
  return out;
}

Result<std::vector<ApiCard>> LoadCards() {
  fs::path file = base::HomeDir() / "data/generate/cards.toml";
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  toml::parse_result parsed = toml::parse(*text, file.string());
  if (!parsed)
    return Error{"AK0708", "no TOML: " + std::string(parsed.error().description()),
                 file.string() + ":" + std::to_string(parsed.error().source().begin.line), ""};
  std::vector<ApiCard> out;
  const toml::array* cards = parsed.table()["card"].as_array();
  for (size_t i = 0; cards && i < cards->size(); ++i) {
    const toml::table* t = (*cards)[i].as_table();
    ApiCard card;
    if (t) card.text = (*t)["text"].value_or(std::string());
    if (const toml::array* when = t ? (*t)["when"].as_array() : nullptr)
      for (const auto& w : *when) card.when.push_back(w.value_or(std::string()));
    if (card.text.empty()) return Error{"AK0708", "a card without text", file.string(), ""};
    out.push_back(std::move(card));
  }
  return out;
}

Result<std::string> ApiText(const task::TaskSpec& task) {
  auto cards = LoadCards();
  if (!cards.ok()) return cards.error();
  std::set<std::string> words = WordsOf(task.reference);
  words.insert(CategoryOf(task));
  std::string out = "# Functions\n\n";
  for (const ApiCard& c : *cards)
    if (c.when.empty() || std::any_of(c.when.begin(), c.when.end(),
                                      [&](const std::string& w) { return words.contains(w); }))
      out += "- " + c.text + "\n";
  out += "\nDtypes they take:\n";
  for (const auto& [dtypes, names] : DtypesFromHeaders()) {
    std::string list;
    for (const auto& n : names) list += (list.empty() ? "" : ", ") + n;
    out += "- " + dtypes + ": " + list + "\n";
  }
  return out;
}

}  // namespace akgen::generate
