#include "judge/host/tiling_again.h"

#include <algorithm>

namespace akgen::judge {

std::string OtherAnswer(const TileReply& reply) {
  const TileReply& other = reply.other.at(0);
  if (other.status != reply.status)
    return other.status == "ok" ? "it succeeds" : "it fails: " + other.detail;
  auto numbers = [](const char* what, uint64_t first, uint64_t then) {
    return std::string(what) + " is " + std::to_string(then) + " instead of " +
           std::to_string(first);
  };
  if (other.block_dim != reply.block_dim)
    return numbers("the number of blocks", reply.block_dim, other.block_dim);
  if (other.tiling_key != reply.tiling_key)
    return numbers("the tiling key", reply.tiling_key, other.tiling_key);
  if (other.tiling.size() != reply.tiling.size())
    return numbers("the size of the tiling data", reply.tiling.size(), other.tiling.size());
  if (other.workspaces != reply.workspaces) return "it asks for other workspaces";
  if (other.inferred_shapes != reply.inferred_shapes ||
      other.inferred_dtypes != reply.inferred_dtypes)
    return "InferShape or InferDataType says something else";
  return "";
}

namespace {
// The field of one of the structs with this size that holds the byte; empty: not known which.
std::string FieldAt(const Description& host, uint64_t size, uint64_t byte) {
  const auto like = [&](const TilingStruct& s) { return s.size == size; };
  if (std::ranges::count_if(host.structs, like) != 1) return "";
  const TilingStruct& s = *std::ranges::find_if(host.structs, like);
  const TilingField* field = nullptr;
  for (const TilingField& f : s.fields)
    if (f.offset <= byte) field = &f;
  return field ? field->name : "";
}
}  // namespace

std::string OtherBytes(const TileReply& reply, const Description& host) {
  const std::vector<uint8_t>&a = reply.tiling, &b = reply.other.at(0).tiling;
  constexpr size_t kMaxRuns = 4;
  std::string text;
  size_t runs = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    const std::string field = FieldAt(host, a.size(), i);
    size_t end = i + 1;
    while (end < a.size() && a[end] != b[end] && FieldAt(host, a.size(), end) == field) ++end;
    if (++runs > kMaxRuns) return text + " and others";
    text += (text.empty() ? "bytes " : ", ") + std::to_string(i) + " to " +
            std::to_string(end - 1) + (field.empty() ? "" : " (" + field + ")");
    i = end - 1;
  }
  return text;
}

record::Finding DependsOnMemory(const TileReply& reply, const std::string& what) {
  record::Finding f;
  f.code = "AK3017";
  const bool memory = reply.cause == "memory";
  f.message =
      std::string("the tiling function depends on ") +
      (memory ? "what memory holds that nothing has written: with other values there "
              : "the addresses of its memory or on earlier calls: at other ones, called again, ") +
      what;
  f.fix = memory ? "initialise every variable before it is used, and every field of the tiling data"
                 : "use what a pointer leads to, never its value as a number; keep nothing in "
                   "static variables";
  return f;
}

}  // namespace akgen::judge
