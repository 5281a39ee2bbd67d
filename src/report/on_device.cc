#include "report/on_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/markdown.h"

namespace akgen::report {
using base::Json;
using record::CaseRecord;
using record::Verdict;
namespace {
constexpr size_t kMaxTimes = 40, kMaxDifferences = 100;
constexpr Agreement kAll[] = {Agreement::kSame, Agreement::kFindingOnly, Agreement::kDiffers,
                              Agreement::kOpen};

// Unsupported by akgen, inconclusive and internal errors say nothing of the candidate.
bool SaysSomething(const CaseRecord* c) {
  return c && c->verdict && *c->verdict != Verdict::kUnsupported &&
         *c->verdict != Verdict::kUndecided && *c->verdict != Verdict::kInfraError;
}

Agreement AgreementOf(const CaseRecord* chip, const CaseRecord* device) {
  if (!SaysSomething(chip) || !SaysSomething(device)) return Agreement::kOpen;
  if (*chip->verdict == *device->verdict) return Agreement::kSame;
  return *chip->verdict == Verdict::kFinding && device->Passed() ? Agreement::kFindingOnly
                                                                 : Agreement::kDiffers;
}

const CaseRecord* CaseOf(const record::Judgement& j, const std::string& id) {
  const auto at =
      std::find_if(j.cases.begin(), j.cases.end(), [&](const CaseRecord& c) { return c.id == id; });
  return at == j.cases.end() ? nullptr : &*at;
}

// Either may be missing.
DeviceRow DeviceRowOf(const CaseRecord* chip, const CaseRecord* device) {
  DeviceRow row;
  row.case_id = chip ? chip->id : device->id;
  row.agreement = AgreementOf(chip, device);
  if (chip) {
    row.chip = chip->VerdictName(), row.reason = chip->reason;
    if (const auto time = chip->Time()) row.modelled = time->own;
  }
  if (!device) return row;
  row.device = device->VerdictName(), row.vendor_code = device->vendor_code;
  if (!device->Passed()) row.reason = device->reason;
  if (device->measured) row.measured = device->measured->us, row.note = device->measured->note;
  return row;
}

using DeviceCells = std::vector<std::string>;

std::string CellTable(const std::vector<DeviceCells>& rows) {
  std::string out;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& text : rows[i]) out += "| " + base::MarkdownText(text, 160) + " ";
    out += "|\n";
    if (i) continue;
    for (size_t k = 0; k < rows[0].size(); ++k) out += "|---";
    out += "|\n";
  }
  return out + "\n";
}

std::string NameOfCase(const DeviceRow& r) {
  return fmt::format("{}, sample {}{}, case {}", r.task, r.sample,
                     r.part == "hidden" ? ", hidden" : "", r.case_id);
}
std::string VerdictOn(const DeviceRow& r) {
  return r.vendor_code ? fmt::format("{} ({})", r.device, r.vendor_code) : r.device;
}
}  // namespace

std::string_view NameOf(Agreement agreement) {
  constexpr std::string_view kNames[] = {"same", "finding only", "differs", "open"};
  return kNames[size_t(agreement)];
}

size_t DeviceComparison::Count(Agreement agreement) const {
  return size_t(std::count_if(rows.begin(), rows.end(),
                              [&](const DeviceRow& r) { return r.agreement == agreement; }));
}

record::ErrorQuantiles DeviceComparison::Errors() const {
  std::vector<double> off;
  for (const DeviceRow& r : rows)
    if (r.Timed()) off.push_back(std::fabs(r.Error()));
  std::sort(off.begin(), off.end());
  const auto share = [&](double s) {
    return off[std::min(off.size() - 1, size_t(s * double(off.size())))];
  };
  return off.empty() ? record::ErrorQuantiles()
                     : record::ErrorQuantiles{off.size(), share(0.5), share(0.9)};
}

void DeviceComparison::Add(const record::Judgement& j, int sample, const std::string& part) {
  const bool alone = j.backend == record::Backend::kNpu;
  if (!alone && j.npu.empty()) return;
  const record::Judgement& npu = alone ? j : j.npu.front();
  if (const auto& d = npu.provenance.device) {
    const std::string name =
        fmt::format("{}, toolkit {}, driver {}", d->soc, d->toolkit, d->driver);
    if (std::find(devices.begin(), devices.end(), name) == devices.end()) devices.push_back(name);
  }
  const auto add = [&](DeviceRow row) {
    row.task = j.task, row.part = part, row.sample = sample;
    rows.push_back(std::move(row));
  };
  if (!alone)
    for (const CaseRecord& c : j.cases) add(DeviceRowOf(&c, CaseOf(npu, c.id)));
  for (const CaseRecord& c : npu.cases)
    if (alone || !CaseOf(j, c.id)) add(DeviceRowOf(nullptr, &c));
}

Json ToJson(const DeviceComparison& c) {
  Json rows = Json::array(), agreement = Json::object();
  for (Agreement a : kAll) agreement[std::string(NameOf(a))] = c.Count(a);
  for (const DeviceRow& r : c.rows) {
    Json row{{"task", r.task},
             {"sample", r.sample},
             {"part", r.part},
             {"case", r.case_id},
             {"agreement", NameOf(r.agreement)},
             {"chip", r.chip},
             {"device", r.device},
             {"reason", r.reason}};
    if (r.modelled.known()) row["modelled_us"] = r.modelled.us;
    if (r.measured > 0) row["measured_us"] = r.measured;
    if (!r.note.empty()) row["note"] = r.note;
    if (r.vendor_code) row["vendor_code"] = r.vendor_code;
    rows.push_back(std::move(row));
  }
  const record::ErrorQuantiles errors = c.Errors();
  return {{"devices", c.devices},
          {"agreement", agreement},
          {"errors", {{"rows", errors.rows}, {"median", errors.median}, {"p90", errors.p90}}},
          {"rows", rows}};
}

std::string DeviceMarkdown(const DeviceComparison& c) {
  std::string out = "## On a real device\n\n";
  for (const std::string& device : c.devices) out += base::MarkdownText(device) + "\n\n";
  std::vector<DeviceCells> counts{{"verdicts of chip and device", "cases"}};
  for (Agreement a : kAll) counts.push_back({std::string(NameOf(a)), std::to_string(c.Count(a))});
  out += CellTable(counts);
  std::vector<DeviceCells> differ{{"case", "on the chip", "on the device", "reason"}};
  for (const DeviceRow& r : c.rows)
    if (r.agreement == Agreement::kDiffers && differ.size() <= kMaxDifferences)
      differ.push_back({NameOfCase(r), r.chip, VerdictOn(r), r.reason});
  if (differ.size() > 1) out += "### Disagreements\n\n" + CellTable(differ);
  std::vector<const DeviceRow*> timed;
  for (const DeviceRow& r : c.rows)
    if (r.Timed()) timed.push_back(&r);
  if (timed.empty()) return out;
  const auto off = [](const DeviceRow* r) { return std::fabs(std::log(1 + r->Error())); };
  std::stable_sort(timed.begin(), timed.end(), [&](auto* a, auto* b) { return off(a) > off(b); });
  const record::ErrorQuantiles errors = c.Errors();
  out += fmt::format(
      "### Modelled beside measured\n\n{} cases with both times: error median {:.1f} %, p90 {:.1f} "
      "%. ",
      errors.rows, 100 * errors.median, 100 * errors.p90);
  out += timed.size() > kMaxTimes ? fmt::format("The {} largest errors:\n\n", kMaxTimes)
                                  : "The largest first:\n\n";
  std::vector<DeviceCells> times{{"case", "modelled us", "range", "measured us", "error"}};
  for (const DeviceRow* r : timed)
    if (times.size() <= kMaxTimes)
      times.push_back({NameOfCase(*r), fmt::format("{:.2f}", r->modelled.us),
                       fmt::format("{:.2f} to {:.2f}", r->modelled.low, r->modelled.high),
                       fmt::format("{:.2f}", r->measured),
                       fmt::format("{:+.1f} %", 100 * r->Error())});
  return out + CellTable(times);
}

}  // namespace akgen::report
