// Where the operands of `own` instructions, and temporary buffers, may start: as their rows say.
#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

uint32_t BytesOf(Align align, const AkgenVec& v, uint8_t dtype) {
  const uint32_t size = SizeOfType(dtype);
  switch (align) {
    case Align::block: return kBlock;
    case Align::element: return size;
    case Align::eight: return 8 * size;
    case Align::record: return 8;
    case Align::indexed: return v.flag ? 2 * size : size;
    case Align::ordered:
      return v.mode < 2 ? 2 * size : v.mode == 2 ? size : 4;  // value and index, value, index
  }
  return kBlock;
}

// Which addresses of a list are there (those that are not null), and which are results, a bit each.
struct Present {
  uint32_t all = 0, results = 0;
};
Present PresentIn(const List& list, const AkgenVec& v) {
  const uint32_t every = (1u << list.n) - 1;
  switch (list.what) {
    case Listed::nothing: return {};
    case Listed::results: return {every, every};
    case Listed::sources: return {every, 0};
    case Listed::valid_sources: return {every & v.mode, 0};
    case Listed::operands: return {every, (1u << v.round_mode % 32) - 1};
  }
  return {};
}
}  // namespace

Starts StartsOf(const AkgenVec& v) {
  const VecRow& row = RowOf(v.op);
  Starts out;
  auto add = [&](const void* at, Use use, uint32_t align) {
    if (use != Use::none && at && align > 1) out.at[out.count++] = {at, align, use == Use::result};
  };
  auto add_list = [&](uint64_t list, const Present& present) {
    const uint32_t align = BytesOf(row.list_align, v, v.src_type);
    for (uint32_t i = 0; list && present.all >> i; ++i)
      if (present.all >> i & 1)
        add(reinterpret_cast<const void* const*>(list)[i],
            present.results >> i & 1 ? Use::result : Use::source, align);
  };
  add(v.tmp, Use::result, kBlock);
  if (row.family != Family::own) return out;  // the vector unit looks at the others itself
  add(reinterpret_cast<const void*>(v.aux[0]), row.aux0, kBlock);
  add(v.dst, row.dst, BytesOf(row.dst_align, v, v.dst_type));
  add_list(v.aux[0], PresentIn(row.list0, v));
  add_list(v.aux[1], PresentIn(row.list1, v));
  add(v.src0, row.src0, kBlock);
  add(v.src1, row.src1, kBlock);
  add(reinterpret_cast<const void*>(v.aux[3]), row.aux3, kBlock);
  return out;
}

}  // namespace akgen::sim
