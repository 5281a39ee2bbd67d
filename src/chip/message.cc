// A chip as a message: the paths of its data file, values alone.
#include <cctype>

#include "chip/fields.h"

namespace akgen::chip {
using base::Json;
namespace {

struct Writer {
  Json out = Json::object();

  template <class T>
  void Plain(const char* path, const T& value) {
    out[path] = value;
  }
  template <class T>
  void Number(const char* path, const char*, const T& value) {
    out[path] = value;
  }
  void Local(const char* path, const Memory& m) { out[path] = {m.bytes, m.align}; }
  void Rates(const char* path, const std::map<std::string, Rate>& rates) {
    Json& to = out[path] = Json::object();
    for (const auto& [name, r] : rates) to[name] = {r.bytes_per_cycle, r.head_cycles, r.source};
  }
};

// Throws what base::Checked turns into an error: a chip with a number missing would be another
// chip.
struct MessageReader {
  const Json& in;

  template <class T>
  void Plain(const char* path, T& value) {
    in.at(path).get_to(value);
  }
  template <class T>
  void Number(const char* path, const char*, T& value) {
    in.at(path).get_to(value);
  }
  void Local(const char* path, Memory& m) {
    const Json& pair = in.at(path);
    pair.at(0).get_to(m.bytes);
    pair.at(1).get_to(m.align);
  }
  void Rates(const char* path, std::map<std::string, Rate>& rates) {
    for (const auto& [name, r] : in.at(path).get_ref<const Json::object_t&>())
      rates[name] = {r.at(0), r.at(1), r.at(2)};
  }
};
}  // namespace

std::string Chip::ConfigName() const {
  std::string s = family;
  for (char& c : s) c = char(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

Json ToJson(const Chip& chip) {
  Writer w;
  EachField(chip, w);
  return std::move(w.out);
}

base::Result<Chip> ChipFromJson(const Json& json) {
  return base::Checked("a chip", [&]() -> base::Result<Chip> {
    Chip chip;
    MessageReader r{json};
    EachField(chip, r);
    return chip;
  });
}

}  // namespace akgen::chip
