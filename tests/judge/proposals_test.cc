// The edits that are tried for a finding of each code at each line of four kernels:
// golden/proposals.txt has them for one kernel, and of the others how many there are and a digest.
// What a proposal is worth is tried in tests/judge/edits_test.py.
#include <gtest/gtest.h>

#include <map>

#include "../golden.h"
#include "base/files.h"
#include "base/hash.h"
#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {
namespace fs = std::filesystem;
const fs::path kSource = AKGEN_SOURCE_DIR;

SourceText Read(const std::string& file) {
  return SourceText(file, *base::ReadFile(kSource / file));
}

constexpr const char* kCodes[] = {
    "AK1001", "AK1002", "AK1003", "AK1004", "AK1005", "AK1007", "AK1008", "AK1101", "AK1102",
    "AK1103", "AK1201", "AK1202", "AK1203", "AK1210", "AK1211", "AK1212", "AK1213", "AK1301",
    "AK1302", "AK1303", "AK1304", "AK1306", "AK1401", "AK1402", "AK1403", "AK1404", "AK1405",
    "AK1406", "AK1501", "AK1504", "AK1601", "AK1603", "AK3014", "AK9999"};
constexpr const char* kPipes[] = {"PIPE_V", "AIV0 PIPE_MTE2", "PIPE_MTE3", "PIPE_S"};

std::string Said(const std::vector<Proposal>& all) {
  std::string out;
  for (const Proposal& p : all) {
    out += "   ";
    for (const record::Edit& e : p)
      out += " " + std::to_string(e.line) + ":" + std::to_string(e.column) + "-" +
             std::to_string(e.end_line) + ":" + std::to_string(e.end_column) + " `" + e.text + "`";
    out += "\n";
  }
  return out;
}

TEST(ProposalsGolden, OfEveryCodeAtEveryLine) {
  const std::pair<const char*, ProjectText> projects[] = {
      {"hazard", {{Read("tests/mutate/every_hazard.cpp")}, {}}},
      {"class", {{Read("tests/mutate/every_class.cpp")}, {}}},
      {"cube", {{Read("tests/mutate/every_cube_class.cpp")}, {}}},
      {"two_phase",
       {{Read("examples/kernels/sasum_two_phase/op_kernel/sasum.cpp")},
        {Read("examples/kernels/sasum_two_phase/op_host/sasum.cpp")}}}};
  std::string text;
  for (const auto& [name, project] : projects) {
    const SourceText& kernel = project.kernel[0];
    const int lines = int(std::count(kernel.text().begin(), kernel.text().end(), '\n'));
    for (const char* code : kCodes) {
      std::string all;
      size_t count = 0;
      for (int line = 1; line <= lines; ++line)
        for (int other : {0, line - 1}) {
          if (other > 0 && line % 2) continue;
          record::Finding f;
          f.code = code, f.check = "racecheck", f.message = "buffer of 128 bytes",
          f.bytes = 32 * uint64_t(line % 3 + 1);
          f.place = {kernel.file(), line, kPipes[line % 4], line % 2 ? "DataCopy" : "Add", 0};
          if (other > 0)
            f.other =
                record::Place{kernel.file(), other, kPipes[other % 3], "write of 32 bytes", 0};
          f.memory = "UB", f.buffer = "buffer 1 (VECIN, bytes 0 to 511)", f.address = 480;
          const auto proposals = ProposalsFor(f, project);
          count += proposals.size();
          if (!proposals.empty())
            all += "  " + std::to_string(line) + " and " + std::to_string(other) + "\n" +
                   Said(proposals);
        }
      text += std::string(name) + " " + code + ": " + std::to_string(count) + ", " +
              base::Sha256(all).substr(0, 12) + "\n";
      if (std::string(name) == "hazard" && code[3] != '3') text += all.substr(0, 1500);
    }
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "proposals.txt", text);
}
}  // namespace
}  // namespace akgen::judge
