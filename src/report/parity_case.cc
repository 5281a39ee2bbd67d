#include "report/parity_case.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/files.h"
#include "base/hash.h"
#include "base/markdown.h"

namespace akgen::report {
namespace fs = std::filesystem;
using base::Json;
namespace {
constexpr uintmax_t kMaxOfFile = 1 << 20, kMaxOfFolder = 8 << 20;

// Regular files alone; links and large data stay behind.
base::Status CopyFiles(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  uintmax_t bytes = 0;
  for (fs::recursive_directory_iterator it(from, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->is_symlink(ec) || !it->is_regular_file(ec)) continue;
    const uintmax_t size = it->file_size(ec);
    if (ec || size > kMaxOfFile || (bytes += size) > kMaxOfFolder) continue;
    auto text = base::ReadFile(it->path());
    if (!text.ok()) return text.error();
    const fs::path file = to / it->path().lexically_relative(from);
    fs::create_directories(file.parent_path(), ec);
    if (auto s = base::WriteFileAtomic(file, *text); !s.ok()) return s;
  }
  return {};
}

// The record with this case alone, and no path of this machine.
record::Judgement Trimmed(record::Judgement j, const std::string& id) {
  std::erase_if(j.cases, [&](const record::CaseRecord& c) { return c.id != id; });
  j.project = "candidate";
  for (record::Judgement& npu : j.npu) npu = Trimmed(npu, id);
  return j;
}

std::string Readme(const ParityCase& one, const record::Judgement& j, const std::string& sources) {
  const DeviceRow& r = one.row;
  std::string out =
      fmt::format("# {}, case {}: {} on the simulated chip, {} on the device\n\n",
                  base::MarkdownText(r.task), base::MarkdownText(r.case_id), r.chip, r.device);
  if (!r.reason.empty()) out += base::MarkdownText(r.reason, 2000) + "\n\n";
  out += fmt::format("- akgen {}, judge {}\n- chip {}\n", j.version, j.provenance.judge, j.chip);
  if (!j.npu.empty() && j.npu[0].provenance.device) {
    const record::DeviceFacts& d = *j.npu[0].provenance.device;
    out += base::MarkdownText(
               fmt::format("device {}, toolkit {}, driver {}", d.soc, d.toolkit, d.driver))
               .insert(0, "- ");
    out += r.vendor_code ? fmt::format(", error code {}\n", r.vendor_code) : "\n";
  }
  out += "- " + sources + "\n\nTo see it again:\n\n```sh\n";
  out += fmt::format(
      "akgen judge candidate --task task --case {} --seed {} --chip {} --precision {} --device "
      "sim,npu{}\n```\n",
      r.case_id, j.seed, j.chip, j.precision,
      j.provenance.host.empty() ? "" : " --mode kernel-only");
  if (r.part == "hidden")
    out +=
        "\nThe case was drawn by `akgen bench run`: its shapes are those of the run's hidden "
        "seed.\n";
  return out;
}
}  // namespace

std::string ParityCase::FolderName() const {
  std::string out = fmt::format("{}_{}_{}_{}", row.task, row.sample, row.part, row.case_id);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  return out;
}

std::vector<ParityCase> DisagreementsIn(const std::vector<Json>& records) {
  std::vector<ParityCase> out;
  for (const Json& record : records) {
    const auto j = record::JudgementFromJson(record);
    if (!j.ok()) continue;
    DeviceComparison rows;
    const auto place = base::MessageFromJson<record::SampleRef>(record);
    rows.Add(*j, int(place.sample.value_or(0)), place.part);
    for (DeviceRow& row : rows.rows)
      if (row.agreement == Agreement::kDiffers) out.push_back({record, std::move(row)});
  }
  return out;
}

base::Status WriteParityCase(const ParityCase& one, const fs::path& task, const fs::path& folder) {
  const auto j = record::JudgementFromJson(one.record);
  if (!j.ok()) return j.error();
  std::error_code ec;
  if (fs::exists(folder, ec))
    return base::Error{"AK0002", "it is there already", folder.string(), "name another folder"};
  fs::create_directories(folder, ec);
  std::string sources = "the sources as they were judged";
  if (!fs::is_directory(j->project, ec) ||
      base::HashOfFolder(j->project) != j->provenance.candidate)
    sources = "without the sources: " + j->project + " is no longer what was judged";
  else if (auto s = CopyFiles(j->project, folder / "candidate"); !s.ok())
    return s;
  if (auto s = CopyFiles(task, folder / "task"); !s.ok()) return s;
  const std::string text = base::Dump(record::ToJson(Trimmed(*j, one.row.case_id)), 1) + "\n";
  if (auto s = base::WriteFileAtomic(folder / "record.json", text); !s.ok()) return s;
  return base::WriteFileAtomic(folder / "README.md", Readme(one, *j, sources));
}

}  // namespace akgen::report
