#include "judge/run/lone_values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <sstream>

#include "base/files.h"
#include "judge/run/value_range.h"

namespace akgen::judge {
namespace {
base::Error BadValue(const std::string& what) {
  return {"AK0401", "launch line: " + what, "",
          "write e.g. args=in:f16[256]=1;2,in:f32[8]@x.bin,out:f16[256],u32=256"};
}

void PutNumber(base::Dtype dtype, double value, uint8_t* at) {
  const size_t size = size_t(base::SizeOf(dtype));
  const auto single = float(value);
  const auto whole = int64_t(value);
  const uint16_t half =
      dtype == base::Dtype::kFloat16 ? base::FloatToHalf(single) : base::FloatToBf16(single);
  if (dtype == base::Dtype::kFloat16 || dtype == base::Dtype::kBfloat16)
    std::memcpy(at, &half, 2);
  else if (dtype == base::Dtype::kFloat32)
    std::memcpy(at, &single, 4);
  else if (dtype == base::Dtype::kFloat64)
    std::memcpy(at, &value, 8);
  else
    std::memcpy(at, &whole, size);
}

bool IsPointerType(const std::string& type) {
  return type.find('*') != std::string::npos || type.find("GM_ADDR") != std::string::npos;
}
}  // namespace

base::Result<std::vector<uint8_t>> BytesOf(const LaunchLine::Arg& arg) {
  const base::Dtype dtype = DtypeOfName(arg.dtype).value_or(base::Dtype::kUint8);
  const size_t size = size_t(base::SizeOf(dtype));
  std::vector<uint8_t> out(arg.count * size);
  if (!arg.file.empty()) {
    auto bytes = base::ReadFile(arg.file);
    if (!bytes.ok()) return BadValue("no file " + arg.file);
    if (bytes->size() != out.size())
      return BadValue(
          fmt::format("{} has {} bytes, the argument {}", arg.file, bytes->size(), out.size()));
    std::memcpy(out.data(), bytes->data(), out.size());
    return out;
  }
  for (uint64_t i = 0; i < arg.count; ++i)
    PutNumber(dtype, arg.values[i % arg.values.size()], &out[i * size]);
  return out;
}

std::string LoneDifference(base::Dtype dtype, const uint8_t* got, const uint8_t* expected,
                           uint64_t count, double tolerance) {
  const size_t size = size_t(base::SizeOf(dtype));
  uint64_t wrong = 0, first = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const double g = NumberAt(dtype, got + i * size), e = NumberAt(dtype, expected + i * size);
    if (g == e || (std::isnan(g) && std::isnan(e)) ||
        (std::isfinite(e) && std::fabs(g - e) <= tolerance * (1 + std::fabs(e))))
      continue;
    if (wrong++ == 0) first = i;
  }
  if (!wrong) return "";
  return fmt::format("{} of {} elements are wrong; the first is {}: {:g}, expected {:g}", wrong,
                     count, first, NumberAt(dtype, got + first * size),
                     NumberAt(dtype, expected + first * size));
}

base::Status Expect(const std::vector<std::string>& files, LaunchLine* launch) {
  size_t next = 0;
  for (LaunchLine::Arg& arg : launch->args) {
    if (arg.role != "out" || next == files.size()) continue;
    arg.values.clear();
    arg.file = files[next++];
    if (auto bytes = BytesOf(arg); !bytes.ok()) return bytes.error();
  }
  if (next < files.size()) return BadValue("no output is left for " + files[next]);
  return {};
}

std::string EntryWithScalars(const toolchain::EntryDeclaration& kernel, const LaunchLine& launch,
                             std::string* symbol) {
  std::string parameters, values;
  bool any = false;
  for (size_t i = 0; i < launch.args.size() && i < kernel.types.size(); ++i) {
    const LaunchLine::Arg& arg = launch.args[i];
    const std::string name = "argument_" + std::to_string(i);
    any = any || arg.role == "scalar";
    if (arg.role != "scalar") parameters += (parameters.empty() ? "GM_ADDR " : ", GM_ADDR ") + name;
    values += values.empty() ? "" : ", ";
    if (arg.role == "scalar")
      values += fmt::format("({})({})", kernel.types[i], arg.literal);
    else
      values += kernel.types[i] == "GM_ADDR" ? name : fmt::format("({}){}", kernel.types[i], name);
  }
  if (!any) return "";
  *symbol = "with_scalars_of_" + kernel.name;
  return "\nextern \"C\" __global__ __aicore__ void " + *symbol + "(" + parameters + ") { " +
         kernel.name + "(" + values + "); }\n";
}

base::Status CheckScalars(const toolchain::EntryDeclaration& kernel, const LaunchLine& launch) {
  for (size_t i = 0; i < launch.args.size() && i < kernel.types.size(); ++i) {
    const bool scalar = launch.args[i].role == "scalar";
    if (scalar && IsPointerType(kernel.types[i]))
      return BadValue(fmt::format("argument {} is a number, {}() takes a {}", i + 1, kernel.name,
                                  kernel.types[i]));
    if (!scalar && !IsPointerType(kernel.types[i]))
      return BadValue(
          fmt::format("argument {} of {}() is a {}: give a number, as u32=256 or f32=0.5", i + 1,
                      kernel.name, kernel.types[i]));
  }
  return {};
}

}  // namespace akgen::judge
