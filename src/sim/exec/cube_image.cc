// LoadData3D v2: parts of an image, as columns, to L0A and L0B.
#include <algorithm>
#include <cstring>

#include "sim/exec/cube_unit.h"
#include "sim/exec/launch_state.h"

namespace akgen::sim {
namespace {
using namespace cube;
constexpr uint32_t kMaxPoints = 32767, kMaxStride = 63, kLeastBoundary = 1024;

// What channelSize leaves after whole columns of 32 bytes.
bool TakesChannels(uint32_t bits, uint32_t rest) {
  switch (bits) {
    case 32: return rest == 0 || rest == 4;
    case 16: return rest == 0 || rest == 4 || rest == 8;
    case 8: return rest == 0 || rest == 4 || rest == 8 || rest == 16;
    default: return rest == 0 || rest == 8 || rest == 16 || rest == 32;
  }
}
}  // namespace

void CubeImage::Check3d(const cube::Load3d& p) {
  const uint32_t per_row = PerRow(p.bits);
  Range("l1H", p.height, 0, kMaxPoints);
  Range("l1W", p.width, 0, kMaxPoints);
  Range("mStartPt", p.m_start, 0, kMaxPoints);
  Range("strideW", p.stride_w, 0, kMaxStride);
  Range("strideH", p.stride_h, 0, kMaxStride);
  auto whole = [&](const char* field, uint32_t value, uint32_t of) {
    if (value % of)
      Broken(std::string(field) + " is " + std::to_string(value) + ", and a multiple of " +
             std::to_string(of));
  };
  whole("kStartPt", p.k_start, per_row);
  // Fractals at the lower and the right end may be cut.
  if (int64_t(p.k_start) + p.k_extension <= p.VirtualColumns() - per_row)
    whole("kExtension", p.k_extension, per_row);
  if (p.bits != 32 && int64_t(p.m_start) + p.m_extension <= (p.VirtualRows() - 1) / kSide * kSide)
    whole("mExtension", p.m_extension, kSide);
  const uint32_t rest = p.channels % per_row;
  if (!TakesChannels(p.bits, rest))
    Broken("channelSize is " + std::to_string(p.channels) + ", of which " + std::to_string(rest) +
           " remain after whole columns of " + std::to_string(per_row));
  else if (rest)
    StopLaunch("unsupported",
               "LoadData (3D) of images whose last channels fill less than 32 bytes");
}

void CubeImage::Load3d() {
  AkgenCube fields = c_;
  if (fields.n[AKGEN_L3D_REGISTERS] & 1) {
    const auto which =
        fields.n[AKGEN_L3D_REGISTERS] & 4 ? AKGEN_CUBE_REG_FMATRIX_RIGHT : AKGEN_CUBE_REG_FMATRIX;
    NeedRegister(which, "SetFmatrix");
    const uint64_t image = c_.registers[which];
    fields.n[AKGEN_L3D_HEIGHT] = uint16_t(image), fields.n[AKGEN_L3D_WIDTH] = uint16_t(image >> 16);
    for (int i = 0; i < 4; ++i) fields.n[AKGEN_L3D_PAD_LEFT + i] = uint8_t(image >> (32 + 8 * i));
  }
  const uint64_t padding =
      fields.n[AKGEN_L3D_REGISTERS] & 2 ? c_.registers[AKGEN_CUBE_REG_PAD_VALUE] : c_.value;
  const cube::Load3d p(fields, Bits());
  if (p.Nothing()) return;
  Memory* to = At(c_.dst_position, MemoryId::L0A, MemoryId::L0B, "the destination");
  Memory* from = At(c_.src_position, MemoryId::L1, "the source");
  if (!to || !from) return;
  if (p.bits < 16 && (to->id() == MemoryId::L0B || p.transpose))
    return Broken("elements of 8 bits and less are not transposed");
  if (!p.dilation_w || !p.dilation_h) return Broken("dilation is at least 1");
  Check3d(p);
  const uint64_t boundary = c_.registers[AKGEN_CUBE_REG_BOUNDARY];
  if (boundary && boundary < kLeastBoundary)
    return Broken("SetLoadDataBoundary is " + std::to_string(boundary) +
                  ", and takes 0, or 1024 and more");
  if (boundary && from->Holds(c_.src) && from->OffsetOf(c_.src) >= boundary)
    Broken("the source begins behind what SetLoadDataBoundary says");
  if (!Announce(*from, c_.src, 0, false, 32) || !Announce(*to, c_.dst, 0, true, to->row().align))
    return;
  if (!boundary && p.IsMatrix() && (p.bits == 16 || (to->id() == MemoryId::L0A && !p.transpose)))
    LoadMatrix(p, *from, *to);
  else
    LoadImage(p, padding, *from, *to);
}

// Rows of 32 bytes, one at a time; where it turns them each element goes to a line of its own.
void CubeImage::LoadImage(const cube::Load3d& p, uint64_t padding, Memory& from, Memory& to) {
  const bool right = to.id() == MemoryId::L0B, turned = right || p.transpose;
  const uint32_t per_row = PerRow(p.bits), bytes = std::max(1u, p.bits / 8),
                 groups = Ceil(p.Columns(), per_row);
  const uint32_t rows = turned ? Ceil(p.Rows(), per_row) * per_row : Ceil(p.Rows(), kSide) * kSide;
  const uint32_t step = turned ? bytes : kRow;
  const uint64_t boundary = c_.registers[AKGEN_CUBE_REG_BOUNDARY];
  auto* dst = static_cast<uint8_t*>(c_.dst);
  for (uint32_t group = 0; group < groups; ++group)
    for (uint32_t r = 0; r < rows; ++r) {
      const int64_t source = p.Source(p.Row(r), p.Group(group));
      uint8_t line[kRow] = {};
      uint32_t at = 0;
      if (source >= 0) {
        const uint8_t* src = static_cast<const uint8_t*>(c_.src) + source;
        if (boundary) src = from.At(uint32_t(uint64_t(src - from.base()) % boundary));
        if (!Announce(from, src, kRow, false)) return;
        std::memcpy(line, src, kRow);
        at = from.OffsetOf(src);
      }
      for (uint32_t e = 0; source == -1 && e < kRow; ++e)
        line[e] = uint8_t(padding >> (8 * (e % bytes)));
      for (uint32_t e = 0; e < kRow; e += step) {
        uint8_t* put = dst + p.Target(r, group * per_row + (turned ? e / bytes : 0), right);
        if (!Announce(to, put, step, true)) return;
        std::memcpy(put, line + e, step);
        if (source >= 0)
          core_.watch.init.OnMove(from, at + e, to, to.OffsetOf(put), step);
        else if (source == -1)
          core_.watch.init.OnDefine(to, to.OffsetOf(put), step);
        else
          core_.watch.init.OnUndefine(to, to.OffsetOf(put), step);
      }
    }
}

// Whole fractals of a matrix, which an image of one row of taps is.
void CubeImage::LoadMatrix(const cube::Load3d& p, Memory& from, Memory& to) {
  const bool right = to.id() == MemoryId::L0B;
  const uint32_t per_row = PerRow(p.bits);
  const uint64_t rows = uint64_t(p.height) * p.width;
  for (uint32_t group = 0; group < p.k_extension / per_row; ++group)
    for (uint32_t r = 0; r < p.m_extension; r += kSide) {
      const uint8_t* src = static_cast<const uint8_t*>(c_.src) +
                           ((p.k_start / per_row + group) * rows + p.m_start + r) * kRow;
      auto* dst = static_cast<uint8_t*>(c_.dst) + p.Target(r, group * per_row, right);
      if (!Announce(from, src, kFractal, false) || !Announce(to, dst, kFractal, true)) return;
      MoveFractal(from, src, to, dst, right || p.transpose);
    }
}

}  // namespace akgen::sim
