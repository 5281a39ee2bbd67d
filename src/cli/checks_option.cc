#include "cli/checks_option.h"

#include <sstream>
#include <vector>

#include "sim/check/checks.h"

namespace akgen::cli {
namespace {
constexpr sim::Check kAll[] = {sim::Check::kMem, sim::Check::kInit, sim::Check::kRace, sim::Check::kSync};

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string w; std::getline(in, w, ',');) words.push_back(w);
  return words;
}

// CLI11's validators answer with a sentence, empty when all is well.
std::string Refuse(const std::string& text) {
  if (text == "all" || text == "none") return "";
  if (text.empty()) return "name at least one check, or none";
  for (const std::string& word : Words(text)) {
    bool known = false;
    for (sim::Check c : kAll) known |= word == sim::NameOf(c);
    if (!known)
      return "there is no check '" + word + "'; use all, none, or names out of memcheck,initcheck,racecheck,synccheck";
  }
  return "";
}
}  // namespace

void AddChecksOption(CLI::App& command, std::string& text) {
  command
      .add_option("--checks", text,
                  "all, none, or a comma list: memcheck (bounds, alignment, buffers, leaks, overlapping blocks), "
                  "initcheck (undefined data), racecheck (order between accesses), synccheck (flags, queues, barriers)")
      ->check(CLI::Validator(Refuse, "CHECKS"))
      ->capture_default_str();
}

void AddBackendOption(CLI::App& command, std::string& name) {
  command
      .add_option("--backend", name,
                  "Where kernel code runs: native, in a sandbox, or guest, interpreted by the chip's side")
      ->check(CLI::IsMember({"native", "guest"}))
      ->capture_default_str();
}

base::Json ChecksFrom(const std::string& text) {
  base::Json out = base::Json::object();
  for (sim::Check c : kAll) out[std::string(sim::NameOf(c))] = text == "all";
  for (const std::string& word : Words(text))
    if (out.contains(word)) out[word] = true;
  return out;
}

}  // namespace akgen::cli
