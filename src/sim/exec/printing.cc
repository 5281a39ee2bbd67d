// What a kernel says of itself while it runs: printf, dumps, assertions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>

#include "base/dtype.h"
#include "sim/exec/launch_state.h"
#include "sim/machine/global_memory.h"

using namespace akgen::sim;
using akgen::base::Dtype;

namespace {
constexpr size_t kMaxPrinted = 64 << 10;
// What one dump may show, in bytes of its tensor (Utils-API/调测接口/printf.md).
constexpr size_t kMaxDumped = 30 << 10;

// The bytes behind an address in one of the chip's memories, as far as that goes.
struct Place {
  std::string_view memory;
  uint64_t offset = 0;
  std::span<const uint8_t> bytes;
};
Place PlaceOf(const void* address) {
  const auto* p = static_cast<const uint8_t*>(address);
  if (const Memory* m = g_core->memories.Holding(p))
    return {m->name(), uint64_t(p - m->base()), {p, size_t(m->base() + m->bytes() - p)}};
  if (const Region* r = Gm().Find(p))
    return {"GM", uint64_t(p - r->base), {p, size_t(r->base + r->Extent() - p)}};
  return {};
}

template <typename T>
T At(std::span<const uint8_t> bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::string TextOf(Dtype dtype, std::span<const uint8_t> bytes, size_t i) {
  switch (dtype) {
    case Dtype::kFloat32: return fmt::format("{:f}", At<float>(bytes, i));
    case Dtype::kFloat64: return fmt::format("{:f}", At<double>(bytes, i));
    case Dtype::kFloat16:
      return fmt::format("{:f}", akgen::base::HalfToFloat(At<uint16_t>(bytes, i)));
    case Dtype::kBfloat16:
      return fmt::format("{:f}", akgen::base::Bf16ToFloat(At<uint16_t>(bytes, i)));
    case Dtype::kInt8: return fmt::format("{}", int(At<int8_t>(bytes, i)));
    case Dtype::kUint8: return fmt::format("{}", unsigned(At<uint8_t>(bytes, i)));
    case Dtype::kBool: return At<uint8_t>(bytes, i) ? "true" : "false";
    case Dtype::kInt16: return fmt::format("{}", At<int16_t>(bytes, i));
    case Dtype::kUint16: return fmt::format("{}", At<uint16_t>(bytes, i));
    case Dtype::kInt32: return fmt::format("{}", At<int32_t>(bytes, i));
    case Dtype::kUint32: return fmt::format("{}", At<uint32_t>(bytes, i));
    case Dtype::kInt64: return fmt::format("{}", At<int64_t>(bytes, i));
    case Dtype::kUint64: return fmt::format("{}", At<uint64_t>(bytes, i));
    case Dtype::kComplex64:
      return fmt::format("{:f}{:+f}j", At<float>(bytes, 2 * i), At<float>(bytes, 2 * i + 1));
  }
  return "?";
}

// Rows of the last size, one to a line; "-" where the dump has no more elements.
class Table {
 public:
  Table(Dtype dtype, std::span<const uint8_t> bytes, size_t count)
      : dtype_(dtype), bytes_(bytes), count_(count) {}
  std::string Of(std::span<const uint32_t> shape) {
    Add(shape);
    return std::move(out_);
  }

 private:
  void Add(std::span<const uint32_t> shape) {
    if (shape.empty()) {
      out_ += next_ < count_ ? TextOf(dtype_, bytes_, next_) : "-";
      ++next_;
      return;
    }
    out_ += '[';
    for (uint32_t i = 0; i < shape[0] && out_.size() < kMaxPrinted; ++i) {
      if (i) out_ += shape.size() > 1 ? ",\n" : ", ";
      Add(shape.subspan(1));
    }
    out_ += ']';
  }
  Dtype dtype_;
  std::span<const uint8_t> bytes_;
  size_t count_, next_ = 0;
  std::string out_;
};

// The elements, or why they are not shown.
std::string ElementsOf(const Place& place, Dtype dtype, size_t count,
                       std::span<const uint32_t> shape) {
  const size_t size = size_t(std::max(akgen::base::SizeOf(dtype), 0));
  if (size == 0) return "(elements of this type are not shown)";
  if (place.memory.empty()) return "(no memory of this core lies there)";
  if (count > kMaxDumped / size) return fmt::format("(a dump shows at most {} bytes)", kMaxDumped);
  const size_t shown = std::min(count, place.bytes.size() / size);
  const uint32_t row[] = {uint32_t(count)};
  std::string note;
  if (!shape.empty()) {
    uint64_t all = 1;
    for (const uint32_t n : shape) all = std::min<uint64_t>(all * n, UINT32_MAX);
    if (all != count)
      note = fmt::format("shape is [{}], dumpSize is {}, {}.\n", fmt::join(shape, ", "), count,
                         all > count ? "data is not enough" : "dumpSize is greater than shapeSize");
  }
  return note + Table(dtype, place.bytes, shown)
                    .Of(shape.empty() ? std::span<const uint32_t>(row) : shape);
}
}  // namespace

void akgen_print(const char* text, uint32_t len) {
  if (!g_launch) {  // the host half of a direct-launch program: its own standard output
    std::fwrite(text, 1, len, stdout);
    return;
  }
  std::string& out = g_launch->result->print_output;
  if (out.size() < kMaxPrinted) out.append(text, std::min<size_t>(len, kMaxPrinted - out.size()));
}

void akgen_assert_fail(const char* expr, const char* file, int32_t line, const char* message) {
  Core& c = *g_core;
  c.AtScalar();
  std::string text = std::string("assertion failed: ") + (expr ? expr : "") +
                     (message && *message ? std::string(" (") + message + ")" : "");
  c.findings.Report(FindingKind::kAssert, text);
  StopLaunch("stopped", text);
}

void akgen_dump_tensor(const void* address, uint32_t desc, uint32_t count, uint32_t type,
                       const uint32_t* shape, uint32_t dims) {
  if (!g_launch || !g_core || g_launch->result->print_output.size() >= kMaxPrinted) return;
  const Place place = PlaceOf(address);
  const auto dtype = Dtype(type);
  const std::string text = fmt::format(
      "DumpTensor: desc={}, addr={:#x}, data_type={}, position={}, dump_size={}\n{}\n", desc,
      place.offset, akgen::base::NameOf(dtype), place.memory.empty() ? "?" : place.memory, count,
      ElementsOf(place, dtype, count, {shape, dims}));
  akgen_print(text.data(), uint32_t(text.size()));
}
