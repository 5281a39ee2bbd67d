#include "record/timeline.h"

#include <algorithm>
#include <cstring>

#include "base/base64.h"

namespace akgen::record {
using base::Json;

namespace {
constexpr unsigned kAfter = 16, kWait = 0x8000;  // in the columns "pipe" and "what"

template <typename T, typename Of>
std::string Column(const std::vector<TimeSpan>& spans, const Of& of) {
  std::vector<uint8_t> bytes(spans.size() * sizeof(T));
  for (size_t i = 0; i < spans.size(); ++i) {
    const T value = static_cast<T>(of(spans[i]));
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return base::ToBase64(bytes);
}

template <typename T, typename Take>
void TakeColumn(const Json& columns, const char* name, std::vector<TimeSpan>& spans,
                const Take& take) {
  const auto bytes = base::FromBase64(columns.at(name).get_ref<const std::string&>());
  if (!bytes || bytes->size() != spans.size() * sizeof(T))
    base::ThrowJsonShape("a column of spans has another size");
  for (size_t i = 0; i < spans.size(); ++i) {
    T value;
    std::memcpy(&value, bytes->data() + i * sizeof(T), sizeof(T));
    take(spans[i], value);
  }
}

void Look(const Timeline& t) {
  for (const TimeSpan& s : t.spans) {
    const bool known = s.pipe + 1u < t.pipes.size() && s.after < t.pipes.size() &&
                       s.what < t.names.size() && (t.sites.empty() || s.site < t.sites.size());
    const bool sane = s.begin >= 0 && s.end >= s.begin && s.end < 1e15;
    if (!known || !sane) base::ThrowJsonShape("a span names what is not there");
  }
}
}  // namespace

double Timeline::EndUs() const {
  double end = 0;
  for (const TimeSpan& s : spans) end = std::max(end, s.end);
  return end;
}

Json ToJson(const Timeline& t) {
  const Json columns{
      {"begin", Column<double>(t.spans, [](const TimeSpan& s) { return s.begin; })},
      {"length", Column<float>(t.spans, [](const TimeSpan& s) { return s.end - s.begin; })},
      {"core", Column<uint16_t>(t.spans, [](const TimeSpan& s) { return s.core; })},
      {"pipe",
       Column<uint8_t>(t.spans, [](const TimeSpan& s) { return s.pipe + kAfter * s.after; })},
      {"what",
       Column<uint16_t>(t.spans, [](const TimeSpan& s) { return s.what | (s.wait ? kWait : 0); })},
      {"site", Column<uint32_t>(t.spans, [](const TimeSpan& s) { return s.site; })}};
  return {{"pipes", t.pipes},   {"names", t.names},        {"cores", t.cores},  {"cube", t.cube},
          {"vector", t.vector}, {"count", t.spans.size()}, {"columns", columns}};
}

Timeline TimelineFromJson(const Json& modelled) {
  constexpr size_t kMaxSpans = size_t{8} << 20;
  Timeline t;
  const auto found = modelled.is_object() ? modelled.find("spans") : modelled.end();
  if (!modelled.is_object() || found == modelled.end() || !found->is_object()) return t;
  const Json& j = *found;
  t.sites = SitesFromJson(modelled);
  j.at("pipes").get_to(t.pipes), j.at("names").get_to(t.names), j.at("cores").get_to(t.cores);
  j.at("cube").get_to(t.cube), j.at("vector").get_to(t.vector);
  if (t.cube > 64 || t.vector > 64 || t.cube + t.vector == 0)
    base::ThrowJsonShape("a block starts no such cores");
  const size_t count = j.at("count");
  if (count > kMaxSpans) base::ThrowJsonShape("more spans than a timeline holds");
  t.spans.resize(count);
  const Json& columns = j.at("columns");
  TakeColumn<double>(columns, "begin", t.spans, [](TimeSpan& s, double v) { s.begin = v; });
  TakeColumn<float>(columns, "length", t.spans,
                    [](TimeSpan& s, float v) { s.end = s.begin + double(v); });
  TakeColumn<uint16_t>(columns, "core", t.spans, [](TimeSpan& s, uint16_t v) { s.core = v; });
  TakeColumn<uint8_t>(columns, "pipe", t.spans,
                      [](TimeSpan& s, uint8_t v) { s.pipe = v % kAfter, s.after = v / kAfter; });
  TakeColumn<uint16_t>(columns, "what", t.spans, [](TimeSpan& s, uint16_t v) {
    s.what = v & ~kWait, s.wait = (v & kWait) != 0;
  });
  TakeColumn<uint32_t>(columns, "site", t.spans, [](TimeSpan& s, uint32_t v) { s.site = v; });
  Look(t);
  return t;
}

}  // namespace akgen::record
