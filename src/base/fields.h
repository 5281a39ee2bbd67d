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
//   Strict(key, value)  like Field, but null throws
//   Sparse(key, value)  written unless it is what its type starts with: empty, zero, false, null
//   Bytes(key, value)   bytes as hexadecimal digits, sparse
//   Derived(key, value) written, and not read: it follows from other fields
//   One(key, values)    a list of at most one, written as that one where there is one
// An empty optional is never written. A message that has to look at what it was read from has a
// member `void Complete(const Json& from)`. What a schema says of a field beyond its type is a Note
// behind it.
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
struct Note {
  const char* says = "";    // a description
  const char* schema = "";  // JSON, in place of what the type says
  bool added = false;       // to a version that is in use: older messages lack it
};

// Stands for any reader or writer where only the list's existence is asked for.
struct AnyIo {
  template <class V>
  void Field(const char*, V&, Note = {}) {}
  template <class V>
  void Needed(const char*, V&, Note = {}) {}
  template <class V>
  void Strict(const char*, V&, Note = {}) {}
  template <class V>
  void Sparse(const char*, V&, Note = {}) {}
  template <class V>
  void Derived(const char*, V&, Note = {}) {}
  template <class V>
  void One(const char*, V&, Note = {}) {}
  void Bytes(const char*, std::vector<uint8_t>&, Note = {}) {}
};
template <class M, class = void>
struct HasComplete : std::false_type {};
template <class M>
struct HasComplete<M,
                   std::void_t<decltype(std::declval<M&>().Complete(std::declval<const Json&>()))>>
    : std::true_type {};
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
  void Field(const char* key, V& value, Note = {}) {
    if (const auto at = from_.find(key); at != from_.end() && !at->is_null()) Read(*at, value);
  }
  template <class V>
  void Needed(const char* key, V& value, Note = {}) {
    Read(from_.at(key), value);
  }
  template <class V>
  void Strict(const char* key, V& value, Note = {}) {
    if (const auto at = from_.find(key); at != from_.end()) Read(*at, value);
  }
  template <class V>
  void Sparse(const char* key, V& value, Note = {}) {
    Field(key, value);
  }
  template <class V>
  void Derived(const char*, V&, Note = {}) {}
  template <class V>
  void One(const char* key, std::vector<V>& values, Note = {}) {
    if (const auto at = from_.find(key); at != from_.end() && !at->is_null())
      values.assign(1, at->get<V>());
  }
  void Bytes(const char* key, std::vector<uint8_t>& value, Note = {}) {
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
  void Field(const char* key, const V& value, Note = {}) {
    if constexpr (!IsOptional<V>::value)
      to_[key] = value;
    else if (value)
      to_[key] = *value;
  }
  template <class V>
  void Needed(const char* key, const V& value, Note = {}) {
    Field(key, value);
  }
  template <class V>
  void Strict(const char* key, const V& value, Note = {}) {
    Field(key, value);
  }
  template <class V>
  void Sparse(const char* key, const V& value, Note = {}) {
    if constexpr (std::is_same_v<V, Json>) {
      if (!value.is_null()) Field(key, value);
    } else if constexpr (HasEmpty<V>::value) {
      if (!value.empty()) Field(key, value);
    } else if (value != V()) {
      Field(key, value);
    }
  }
  template <class V>
  void Derived(const char* key, const V& value, Note = {}) {
    Field(key, value);
  }
  template <class V>
  void One(const char* key, const std::vector<V>& values, Note = {}) {
    if (!values.empty()) Field(key, values.front());
  }
  void Bytes(const char* key, const std::vector<uint8_t>& value, Note = {}) {
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
  if constexpr (fields::HasComplete<M>::value) out.Complete(json);
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
