// Messages in JSON by one list of fields each, which makes their reader and their writer:
//
//   struct Layer {
//     std::string layer;
//     bool active = false;
//     template <class Self, class Io>
//     static void EachField(Self& m, Io& io) {
//       io.Needed("layer", m.layer);
//       io.Field("active", m.active);
//     }
//   };
//
// A field may be anything that JSON converts to and from, another message, and vectors, maps and
// optionals of these. (C++17: libtorch 1.13 takes no later one.) `Self` is the message or const of
// it; what `Io` offers:
//   Field(key, value)   always written; missing or null when it is read: keeps its default
//   Needed(key, value)  always written; throws when it is missing
//   Sparse(key, value)  written unless it is what its type starts with: empty, zero, false, null
//   Bytes(key, value)   bytes as hexadecimal digits, sparse
// An empty optional is never written.
#pragma once
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "base/json.h"

namespace akgen::base {

namespace fields {
// Stands for any reader or writer where only the list's existence is asked for.
struct AnyIo {
  template <class V>
  void Field(const char*, V&) {}
  template <class V>
  void Needed(const char*, V&) {}
  template <class V>
  void Sparse(const char*, V&) {}
  void Bytes(const char*, std::vector<uint8_t>&) {}
};
template <class V, class = void>
struct HasEmpty : std::false_type {};
template <class V>
struct HasEmpty<V, std::void_t<decltype(std::declval<const V&>().empty())>> : std::true_type {};
template <class M, class = void>
struct HasList : std::false_type {};
template <class M>
struct HasList<M, std::void_t<decltype(M::EachField(std::declval<M&>(), std::declval<AnyIo&>()))>>
    : std::true_type {};
template <class V>
struct IsOptional : std::false_type {};
template <class V>
struct IsOptional<std::optional<V>> : std::true_type {};

class Reader {
 public:
  explicit Reader(const Json& from) : from_(from) {}
  template <class V>
  void Field(const char* key, V& value) {
    if (const auto at = from_.find(key); at != from_.end() && !at->is_null()) Read(*at, value);
  }
  template <class V>
  void Needed(const char* key, V& value) {
    Read(from_.at(key), value);
  }
  template <class V>
  void Sparse(const char* key, V& value) {
    Field(key, value);
  }
  void Bytes(const char* key, std::vector<uint8_t>& value) {
    if (const auto at = from_.find(key); at != from_.end() && !at->is_null())
      value = BytesOfHex(at->get_ref<const std::string&>());
  }

 private:
  template <class V>
  static void Read(const Json& j, V& value) {
    if constexpr (IsOptional<V>::value)
      value = j.get<typename V::value_type>();
    else
      j.get_to(value);
  }
  const Json& from_;
};

class Writer {
 public:
  explicit Writer(Json& to) : to_(to) {}
  template <class V>
  void Field(const char* key, const V& value) {
    if constexpr (!IsOptional<V>::value)
      to_[key] = value;
    else if (value)
      to_[key] = *value;
  }
  template <class V>
  void Needed(const char* key, const V& value) {
    Field(key, value);
  }
  template <class V>
  void Sparse(const char* key, const V& value) {
    if constexpr (HasEmpty<V>::value) {
      if (!value.empty()) Field(key, value);
    } else if (value != V()) {
      Field(key, value);
    }
  }
  void Bytes(const char* key, const std::vector<uint8_t>& value) {
    if (!value.empty()) to_[key] = HexOf(value);
  }

 private:
  Json& to_;
};
}  // namespace fields

template <class M>
inline constexpr bool kHasFields = fields::HasList<M>::value;

template <class M>
Json MessageToJson(const M& message) {
  static_assert(kHasFields<M>);
  Json out = Json::object();
  fields::Writer writer(out);
  M::EachField(message, writer);
  return out;
}

// Throws base::Json::exception. Members that are not in the list are passed over.
template <class M>
M MessageFromJson(const Json& json) {
  static_assert(kHasFields<M>);
  if (!json.is_object()) ThrowJsonShape("a message is no object");
  M out;
  fields::Reader reader(json);
  M::EachField(out, reader);
  return out;
}

}  // namespace akgen::base

// So that lists, maps and fields of messages are read and written like those of numbers.
template <class M>
struct nlohmann::adl_serializer<M, std::enable_if_t<akgen::base::kHasFields<M>>> {
  template <typename J>
  static void to_json(J& j, const M& message) {
    j = akgen::base::MessageToJson(message);
  }
  template <typename J>
  static void from_json(const J& j, M& message) {
    message = akgen::base::MessageFromJson<M>(j);
  }
};
