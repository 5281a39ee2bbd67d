// The same candidates and cases on the simulated chip and on a real device: verdicts and times side
// by side. A device is judged by values alone, so what the chip finds and no value shows is no
// disagreement.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "record/judgement.h"
#include "record/parity.h"

namespace akgen::report {

enum class Agreement : uint8_t {
  kSame,         // one verdict
  kFindingOnly,  // the chip has a finding, and the values on the device are right
  kDiffers,      // a case to look into (`akgen parity export`)
  kOpen  // one of both has no verdict of its own: skipped, unsupported, inconclusive, or not run
};
std::string_view NameOf(Agreement agreement);  // "same", "finding only", "differs", "open"

struct DeviceRow {
  std::string task, part, case_id;
  int sample = 0;
  Agreement agreement = Agreement::kOpen;
  std::string chip, device;   // verdicts, "" where that side does not have the case
  std::string reason;         // of the device's where it did not pass, else of the chip's
  record::Modelled modelled;  // microseconds; 0: not known
  double measured = 0;
  std::string note;  // of the measurement
  int vendor_code = 0;
  bool Timed() const { return modelled.known() && measured > 0; }
  double Error() const { return modelled.us / measured - 1; }
};

struct DeviceComparison {
  std::vector<DeviceRow> rows;
  std::vector<std::string> devices;  // "Ascend910B2, toolkit 8.3.RC1, driver 25.0", each once
  size_t Count(Agreement agreement) const;
  record::ErrorQuantiles Errors() const;  // of modelled times against measured ones
  void Add(const record::Judgement& judgement, int sample,
           const std::string& part);  // nothing where no device ran it
};

// {"devices", "agreement": {name: count}, "errors": {"rows", "median", "p90"}, "rows": [{"task",
// "sample", "part", "case", "agreement", "chip", "device", "reason", "modelled_us", "measured_us",
// "note", "vendor_code"}…]}
base::Json ToJson(const DeviceComparison& comparison);
std::string DeviceMarkdown(const DeviceComparison& comparison);

}  // namespace akgen::report
