#include "toolchain/device.h"

namespace akgen::toolchain {
namespace {
// A new architecture is a row for each type of core.
struct Row {
  Device device;
  std::vector<std::string> macros;
};
const std::vector<Row>& Rows() {
  static const std::vector<Row> kRows = {
      {{2201, CoreType::kAiv},
       {"__CCE__", "__CCE_AICORE__=220", "__NPU_ARCH__=2201", "__DAV_C220_VEC__", "__DAV_VEC__"}},
      {{2201, CoreType::kAic},
       {"__CCE__", "__CCE_AICORE__=220", "__NPU_ARCH__=2201", "__DAV_C220_CUBE__", "__DAV_CUBE__"}},
  };
  return kRows;
}
}  // namespace

base::Result<std::vector<std::string>> MacrosOf(const Device& d) {
  std::string known;
  for (const Row& row : Rows()) {
    if (row.device.arch == d.arch && row.device.core == d.core) return row.macros;
    known += (known.empty() ? "" : ", ") + std::to_string(row.device.arch) + " " +
             NameOf(row.device.core);
  }
  return base::Error{"AK0301",
                     "no device code is compiled for architecture " + std::to_string(d.arch) +
                         ", " + NameOf(d.core),
                     "", "use one of " + known};
}

std::vector<Device> KnownDevices() {
  std::vector<Device> out;
  for (const Row& row : Rows()) out.push_back(row.device);
  return out;
}

base::Result<std::vector<std::string>> DeviceFlags(const Device& device) {
  auto macros = MacrosOf(device);
  if (!macros.ok()) return macros.error();
  std::vector<std::string> flags{"-fno-builtin", "-D__forceinline__=inline"};
  for (const std::string& m : *macros) flags.push_back("-D" + m);
  return flags;
}

}  // namespace akgen::toolchain
