// Relocations of the RISC-V ELF psABI, as far as the compiler writes them for code at fixed
// addresses.
#include "guest/link_input.h"

namespace akgen::guest::linking {
namespace {
enum Kind : uint32_t {
  kNone = 0,
  k32 = 1,
  k64 = 2,
  kBranch = 16,
  kJal = 17,
  kCall = 18,
  kCallPlt = 19,
  kHi20 = 26,
  kLo12I = 27,
  kLo12S = 28,
  kAdd8 = 33,
  kAdd16 = 34,
  kAdd32 = 35,
  kAdd64 = 36,
  kSub8 = 37,
  kSub16 = 38,
  kSub32 = 39,
  kSub64 = 40,
  kRelax = 51,
  kSub6 = 52,
  kSet6 = 53,
  kSet8 = 54,
  kSet16 = 55,
  kSet32 = 56,
  k32Pcrel = 57,
  kSetUleb = 60,
  kSubUleb = 61
};

class Patch {
 public:
  Patch(std::string& bytes, uint64_t at) : bytes_(bytes), at_(at) {}
  template <typename T>
  T Get() const {
    T v{};
    if (at_ <= bytes_.size() && bytes_.size() - at_ >= sizeof(T))
      std::memcpy(&v, bytes_.data() + at_, sizeof(T));
    return v;
  }
  template <typename T>
  bool Set(T v) {
    if (at_ > bytes_.size() || bytes_.size() - at_ < sizeof(T)) return false;
    std::memcpy(bytes_.data() + at_, &v, sizeof(T));
    return true;
  }
  template <typename T>
  bool Add(uint64_t v) {
    return Set(T(Get<T>() + T(v)));
  }
  // A number of 7 bits a byte, which keeps its length. `add`: to what stands there.
  bool Uleb(uint64_t v, bool subtract) {
    uint64_t old = 0, length = 0;
    for (; at_ + length < bytes_.size() && length < 10; ++length) {
      const auto byte = uint8_t(bytes_[at_ + length]);
      old |= uint64_t(byte & 127) << (7 * length);
      if (byte < 128) break;
    }
    if (at_ + length >= bytes_.size() || length >= 10) return false;
    if (subtract) v = old - v;
    for (uint64_t i = 0; i <= length; ++i)
      bytes_[at_ + i] = char((v >> (7 * i) & 127) | (i < length ? 128 : 0));
    return true;
  }

 private:
  std::string& bytes_;
  uint64_t at_;
};

bool Far(int64_t distance, int bits) {
  return distance < -(int64_t{1} << (bits - 1)) || distance >= int64_t{1} << (bits - 1);
}
uint32_t High(uint64_t v) { return uint32_t(v + 0x800) & 0xfffff000; }

bool PatchCode(uint32_t kind, Patch p, uint64_t value, int64_t distance) {
  const auto word = p.Get<uint32_t>();
  const auto d = uint32_t(distance), low = uint32_t(value) & 0xfff;
  switch (kind) {
    case kBranch:
      return !Far(distance, 13) &&
             p.Set((word & 0x01fff07f) | (d >> 12 & 1) << 31 | (d >> 5 & 63) << 25 |
                   (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7);
    case kJal:
      return !Far(distance, 21) &&
             p.Set((word & 0xfff) | (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 |
                   (d >> 11 & 1) << 20 | (d >> 12 & 0xff) << 12);
    case kCall:
    case kCallPlt: {
      // AUIPC and JALR, eight bytes.
      const auto pair = p.Get<uint64_t>();
      const uint64_t first = (pair & 0xfff) | High(d),
                     second = (pair >> 32 & 0xfffff) | uint64_t(d & 0xfff) << 20;
      return !Far(distance + 0x800, 32) && p.Set(first | second << 32);
    }
    case kHi20: return value < 0x7ffff800 && p.Set((word & 0xfff) | High(value));
    case kLo12I: return p.Set((word & 0xfffff) | low << 20);
    case kLo12S: return p.Set((word & 0x01fff07f) | (low >> 5) << 25 | (low & 31) << 7);
    default: return false;
  }
}

bool PatchData(uint32_t kind, Patch p, uint64_t value, int64_t distance) {
  switch (kind) {
    case k32:
    case kSet32: return p.Set(uint32_t(value));
    case k64: return p.Set(value);
    case k32Pcrel: return p.Set(uint32_t(distance));
    case kSet16: return p.Set(uint16_t(value));
    case kSet8: return p.Set(uint8_t(value));
    case kSet6: return p.Set(uint8_t((p.Get<uint8_t>() & 0xc0) | (value & 0x3f)));
    case kSub6:
      return p.Set(uint8_t((p.Get<uint8_t>() & 0xc0) | ((p.Get<uint8_t>() - value) & 0x3f)));
    case kAdd8: return p.Add<uint8_t>(value);
    case kAdd16: return p.Add<uint16_t>(value);
    case kAdd32: return p.Add<uint32_t>(value);
    case kAdd64: return p.Add<uint64_t>(value);
    case kSub8: return p.Add<uint8_t>(0 - value);
    case kSub16: return p.Add<uint16_t>(0 - value);
    case kSub32: return p.Add<uint32_t>(0 - value);
    case kSub64: return p.Add<uint64_t>(0 - value);
    case kSetUleb: return p.Uleb(value, false);
    case kSubUleb: return p.Uleb(value, true);
    default: return PatchCode(kind, p, value, distance);
  }
}
}  // namespace

base::Status Relocate(const Object& object, unsigned index, Linked* l) {
  const Section& rows = object.sections[index];
  if (rows.head.sh_info >= object.sections.size()) return Refused("relocations of no section");
  const Section& target = object.sections[rows.head.sh_info];
  if (target.part == Part::kDropped) return {};
  const bool debug = target.part == Part::kDebug;
  std::string& bytes = debug ? l->debug[target.name] : l->loaded[size_t(target.part)];
  const uint64_t start = target.place - (debug ? 0 : BaseOf(*l, target.part));
  for (size_t at = 0; at + sizeof(Elf64_Rela) <= rows.bytes.size(); at += sizeof(Elf64_Rela)) {
    Elf64_Rela row;
    std::memcpy(&row, rows.bytes.data() + at, sizeof row);
    const uint32_t kind = uint32_t(ELF64_R_TYPE(row.r_info));
    const uint64_t symbol = ELF64_R_SYM(row.r_info);
    if (kind == kRelax || kind == kNone) continue;
    if (symbol >= object.symbols.size() || row.r_offset >= target.head.sh_size)
      return Refused("a relocation of something that is not there");
    const uint64_t value = object.symbols[symbol].address + uint64_t(row.r_addend);
    const auto distance = int64_t(value - (target.place + row.r_offset));
    if (!PatchData(kind, Patch(bytes, start + row.r_offset), value, distance))
      return Refused("a relocation of kind " + std::to_string(kind) + " in " + target.name +
                     " cannot be done");
  }
  return {};
}

}  // namespace akgen::guest::linking
