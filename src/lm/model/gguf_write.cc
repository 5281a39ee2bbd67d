// The same format, written.
#include <cstring>

#include "base/files.h"
#include "lm/model/gguf.h"

namespace akgen::lm {
using base::Json;

namespace {
constexpr uint64_t kAlignment = 32;  // what readers assume where general.alignment is not given

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void AppendText(std::string& out, const std::string& text) {
  Append<uint64_t>(out, text.size());
  out += text;
}
void Align(std::string& out) {
  out.resize((out.size() + kAlignment - 1) / kAlignment * kAlignment);
}

// Its type and itself.
void AppendValue(std::string& out, const Json& v) {
  if (v.is_string())
    Append<uint32_t>(out, 8), AppendText(out, v.get<std::string>());
  else if (v.is_boolean())
    Append<uint32_t>(out, 7), Append<uint8_t>(out, v.get<bool>());
  else if (v.is_number_float())
    Append<uint32_t>(out, 6), Append<float>(out, v.get<float>());
  else
    Append<uint32_t>(out, 4), Append<uint32_t>(out, v.get<uint32_t>());
}
}  // namespace

base::Status WriteGguf(const std::filesystem::path& path, const Json& values,
                       const std::map<std::string, GgufTensor>& tensors) {
  std::string out = "GGUF", data;
  Append<uint32_t>(out, 3);
  Append<uint64_t>(out, tensors.size());
  Append<uint64_t>(out, values.size());
  for (auto it = values.begin(); it != values.end(); ++it) {
    AppendText(out, it.key());
    AppendValue(out, *it);
  }
  for (const auto& [name, t] : tensors) {
    AppendText(out, name);
    Append<uint32_t>(out, uint32_t(t.shape.size()));
    for (size_t d = t.shape.size(); d-- > 0;) Append<uint64_t>(out, uint64_t(t.shape[d]));
    Append<uint32_t>(out, 0);
    Append<uint64_t>(out, data.size());
    data.append(reinterpret_cast<const char*>(t.data), size_t(t.size) * sizeof(float));
    Align(data);
  }
  Align(out);
  return base::WriteFileAtomic(path, out + data);
}

}  // namespace akgen::lm
