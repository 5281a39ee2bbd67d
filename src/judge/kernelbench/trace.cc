#include "judge/kernelbench/trace.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/files.h"
#include "base/regex.h"
#include "judge/kernelbench/task.h"
#include "judge/run/lone.h"

namespace akgen::judge::kernelbench {
namespace fs = std::filesystem;
using base::Json;
namespace {
constexpr uint64_t kMaxTraceText = 64u << 20, kMaxBytes = uint64_t{1} << 30,
                   kMaxElements = uint64_t{1} << 28;
constexpr size_t kMaxSources = 100000, kMaxCalls = 10000, kMaxListed = 256, kMaxDims = 16;

[[noreturn]] void NoTrace(const std::string& what) { throw std::invalid_argument(what); }

const Json& ListOf(const Json& j, const char* key, size_t most) {
  const Json& list = j.at(key);
  if (!list.is_array() || list.size() > most)
    NoTrace(std::string(key) + " is no list, or too long a one");
  return list;
}

std::vector<int64_t> Extents(const Json& j, const char* key) {
  std::vector<int64_t> out;
  for (const Json& n : ListOf(j, key, kMaxDims)) {
    if (!n.is_number_integer() || n.get<int64_t>() < 0 || n.get<int64_t>() > int64_t(kMaxElements))
      NoTrace(std::string(key) + " that are none");
    out.push_back(n.get<int64_t>());
  }
  return out;
}

std::string TypeFromJson(const Json& j, base::Dtype* dtype) {
  const std::string type = j.at("dtype").get<std::string>();
  const auto known = DtypeOfName(type);
  if (!known || type.size() > 8) NoTrace("a dtype that is none");
  *dtype = *known;
  return type;
}

std::string BytesFromJson(const Json& j, const fs::path& folder) {
  static const base::Regex name(R"([a-z]+_\d{1,9}\.bin)");
  const std::string file = j.at("file").get<std::string>();
  if (!name.Whole(file)) NoTrace("a file that is none");
  auto bytes = ReadUntrusted(folder / file, kMaxBytes);
  if (!bytes.ok()) NoTrace(bytes.error().message);
  return std::move(*bytes);
}

TracedTensor TracedTensorFromJson(const Json& j, uint64_t all, const fs::path& folder) {
  TracedTensor t;
  t.type = TypeFromJson(j, &t.dtype);
  t.sizes = Extents(j, "sizes"), t.strides = Extents(j, "strides");
  if (t.sizes.size() != t.strides.size()) NoTrace("strides that are none");
  t.given = j.value("given", false);
  uint64_t extent = 1, elements = 1;
  for (size_t i = 0; i < t.sizes.size(); ++i) {
    elements *= uint64_t(t.sizes[i]);
    extent = t.sizes[i] && extent ? extent + uint64_t(t.sizes[i] - 1) * uint64_t(t.strides[i]) : 0;
    if (extent > kMaxElements || elements > kMaxElements)
      NoTrace("a tensor of more than 2^28 elements");
  }
  t.numbers.resize(extent);
  if (j.contains("from")) {
    for (uint64_t i = 0; i < extent; ++i) t.numbers[i] = j["from"].get<int64_t>() + int64_t(i);
  } else if (const std::string bytes = BytesFromJson(j, folder); bytes.size() == 8 * extent) {
    std::memcpy(t.numbers.data(), bytes.data(), bytes.size());
  } else {
    NoTrace("numbers of another tensor");
  }
  for (const int64_t n : t.numbers)
    if (n < -1 || n >= int64_t(all)) NoTrace("an element from nowhere");
  return t;
}

TracedArgument TracedArgumentFromJson(const Json& j, uint64_t all, const fs::path& folder) {
  TracedArgument a;
  if (j.is_null()) return a;
  if (j.contains("dtype")) {
    a.tensor = TracedTensorFromJson(j, all, folder);
  } else if (j.contains("list")) {
    a.value = Json::array();
    for (const Json& item : ListOf(j, "list", kMaxListed)) {
      if (item.is_object() && item.contains("dtype"))
        a.list.push_back(TracedArgumentFromJson(item, all, folder));
      else
        a.value.push_back(item.at("value"));
    }
  } else {
    a.value = j.at("value");
    if (a.value.is_structured()) NoTrace("an argument that is none");
  }
  return a;
}

Source SourceFromJson(const Json& j, const fs::path& folder) {
  Source s;
  const std::string kind = j.at("kind").get<std::string>();
  s.count = j.at("count").get<uint64_t>();
  if (s.count > kMaxElements) NoTrace("a source of more than 2^28 elements");
  if (kind == "empty") return s;
  if (kind == "held") {
    s.kind = Source::Kind::kHeld;
    s.name = j.at("name").get<std::string>().substr(0, 200);
    TypeFromJson(j, &s.dtype);
    const std::string bytes = BytesFromJson(j, folder);
    if (bytes.size() != s.count * uint64_t(base::SizeOf(s.dtype)))
      NoTrace("values of another tensor");
    s.bytes.assign(bytes.begin(), bytes.end());
    return s;
  }
  s.kind = kind == "input"    ? Source::Kind::kInput
           : kind == "result" ? Source::Kind::kResult
                              : Source::Kind::kChanged;
  s.index = j.at("index").get<size_t>(), s.call = j.value("call", size_t{0});
  return s;
}

Trace TraceFromJson(const Json& j, const fs::path& folder) {
  Trace t;
  t.end = j.at("end").get<std::string>(),
  t.reason = j.at("reason").get<std::string>().substr(0, 1000);
  uint64_t all = 0;
  for (const Json& source : ListOf(j, "sources", kMaxSources)) {
    t.sources.push_back(SourceFromJson(source, folder));
    t.sources.back().first = all;
    all += t.sources.back().count;
    if (all > 16 * kMaxElements) NoTrace("too many elements");
  }
  static const base::Regex name(R"(\w{1,100})");
  for (const Json& said : ListOf(j, "calls", kMaxCalls)) {
    TracedCall& call = t.calls.emplace_back();
    call.op = said.at("op").get<std::string>();
    if (!name.Whole(call.op)) NoTrace("an operator without a name");
    for (const Json& a : ListOf(said, "args", kMaxListed))
      call.arguments.push_back(TracedArgumentFromJson(a, all, folder));
    for (const Json& r : ListOf(said, "results", kMaxListed)) {
      base::Dtype dtype;
      call.results.push_back({Extents(r, "shape"), TypeFromJson(r, &dtype)});
    }
  }
  for (const Json& o : ListOf(j, "outputs", kMaxListed))
    t.outputs.push_back(TracedTensorFromJson(o, all, folder));
  for (const Source& s : t.sources)
    if ((s.kind == Source::Kind::kResult || s.kind == Source::Kind::kChanged) &&
        s.call >= t.calls.size())
      NoTrace("a result of no call");
  return t;
}
}  // namespace

base::Result<std::string> ReadUntrusted(const fs::path& file, uint64_t most) {
  std::error_code ec;
  const auto status = fs::symlink_status(file, ec);
  if (ec || status.type() != fs::file_type::regular || fs::file_size(file, ec) > most || ec)
    return base::Error{"AK0612", file.filename().string() + " is no file, or too large", "", ""};
  return base::ReadFile(file);
}

base::Result<Trace> ReadTrace(const fs::path& folder) {
  auto text = ReadUntrusted(folder / "trace.json", kMaxTraceText);
  if (!text.ok()) return text.error();
  try {
    return TraceFromJson(base::Parse(*text), folder);
  } catch (const std::exception& e) {  // ours, and what JSON says of kinds
    return base::Error{"AK0612", std::string("the model's recording is none: ") + e.what(),
                       "model_new.py", ""};
  }
}

}  // namespace akgen::judge::kernelbench
