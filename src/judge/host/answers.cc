#include "judge/host/answers.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/hex.h"
#include "base/text.h"

namespace akgen::judge {
namespace {
using base::Json;

constexpr size_t kMaxOps = 64, kMaxParams = 512, kMaxColumns = 1024, kMaxStructs = 256,
                 kMaxFields = 8192;
constexpr size_t kMaxTensors = 4096, kLongestName = 128, kMaxTilingBytes = size_t{800} << 10,
                 kMaxWorkspaces = 16;
constexpr uint64_t kMaxCount = 1 << 20;

// Names become text in front of the kernel, so they are identifiers; and none of the judge's own.
bool IsIdentifier(std::string_view name) {
  if (name.empty() || name.size() > kLongestName ||
      std::isdigit(static_cast<unsigned char>(name[0])))
    return false;
  if (!std::all_of(name.begin(), name.end(), base::IsWord)) return false;
  while (name.starts_with('_')) name.remove_prefix(1);
  const std::string_view start = name.substr(0, 5);
  return start != "akgen" && start != "AKGEN" && start != "Akgen";
}

// Words in a row, as "unsigned int", or qualified, as "std::int32_t".
bool IsType(std::string_view type) {
  while (true) {
    const size_t end = type.find_first_of(" :");
    if (!IsIdentifier(type.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    const bool qualified = type[end] == ':';
    if (qualified && !type.substr(end).starts_with("::")) return false;
    type.remove_prefix(end + (qualified ? 2 : 1));
  }
}

[[noreturn]] void Wrong(const std::string& what) { throw std::invalid_argument(what); }

const Json& List(const Json& j, const char* key, size_t most) {
  static const Json none = Json::array();
  auto at = j.find(key);
  if (at == j.end() || at->is_null()) return none;
  if (!at->is_array() || at->size() > most)
    Wrong(std::string(key) + " is no list, or too long a one");
  return *at;
}
std::string Name(const Json& j, const char* key) {
  auto at = j.find(key);
  if (at == j.end() || !at->is_string() || !IsIdentifier(at->get_ref<const std::string&>()))
    Wrong(std::string("a ") + key + " that is no identifier" +
          (at != j.end() && at->is_string()
               ? ": '" + at->get<std::string>().substr(0, kLongestName) + "'"
               : ""));
  return *at;
}
uint64_t Count(const Json& j, const char* key, uint64_t most) {
  auto at = j.find(key);
  if (at == j.end() || !at->is_number_unsigned() || at->get<uint64_t>() > most)
    Wrong(std::string(key) + " is no number that it may be");
  return *at;
}
std::vector<int> Numbers(const Json& j, const char* key) {
  std::vector<int> out;
  constexpr int kMaxKinds = 1 << 16;
  for (const Json& n : List(j, key, kMaxColumns)) {
    if (!n.is_number_integer() || n.get<int64_t>() < 0 || n.get<int64_t>() > kMaxKinds)
      Wrong(std::string(key) + " holds what is no number of one");
    out.push_back(n.get<int>());
  }
  return out;
}

// Whatever says neither "none" nor false.
bool Says(const Json& j, const char* key) {
  auto at = j.find(key);
  if (at == j.end() || at->is_null()) return false;
  if (at->is_boolean()) return at->get<bool>();
  return !at->is_string() || (*at != "" && *at != "none");
}

// The first where it says none of them.
std::string OneOf(const Json& j, const char* key, std::initializer_list<const char*> words) {
  auto at = j.find(key);
  for (const char* word : words)
    if (at != j.end() && *at == word) return word;
  return *words.begin();
}

Presence PresenceOf(const std::string& says) {
  return says == "dynamic"    ? Presence::kDynamic
         : says == "optional" ? Presence::kOptional
                              : Presence::kRequired;
}

ParamDefinition ParamFromJson(const Json& p) {
  ParamDefinition out{Name(p, "name"), Numbers(p, "dtypes"), Numbers(p, "formats"),
                      PresenceOf(OneOf(p, "param_type", {"required", "optional", "dynamic"}))};
  out.dtype_list = Says(p, "dtype_list"), out.dtype_both = Says(p, "dtype_both");
  out.value_depend = Says(p, "value_depend"), out.scalar = Says(p, "scalar");
  if (auto v = p.find("init_value"); v != p.end() && v->is_number())
    out.init_value = v->get<double>();
  return out;
}

std::vector<std::string> Words(const Json& op, const char* key) {
  std::vector<std::string> out;
  for (const Json& w : List(op, key, kMaxParams)) {
    if (!w.is_string() || w.get_ref<const std::string&>().size() > kLongestName)
      Wrong(std::string(key) + " holds what is no name");
    out.push_back(w);
  }
  return out;
}

// An attribute's default: null, a number, a text, or a short list of them.
Json DefaultFromJson(const Json& attr) {
  const Json value = attr.value("default", Json());
  constexpr size_t kLongest = 4096;
  if (value.is_object() || base::Dump(value).size() > kLongest) Wrong("a default that is none");
  return value;
}

OperatorDefinition OperatorFromJson(const Json& op) {
  OperatorDefinition out;
  out.name = Name(op, "name");
  for (const Json& p : List(op, "inputs", kMaxParams)) out.inputs.push_back(ParamFromJson(p));
  for (const Json& p : List(op, "outputs", kMaxParams)) out.outputs.push_back(ParamFromJson(p));
  for (const Json& a : List(op, "attrs", kMaxParams))
    out.attrs.push_back({Name(a, "name"),
                         OneOf(a, "type",
                               {"bool", "float", "int", "string", "list_bool", "list_float",
                                "list_int", "list_list_int"}),
                         DefaultFromJson(a)});
  out.configs = Words(op, "configs"), out.kernel_names = Words(op, "kernel_names");
  return out;
}

constexpr uint64_t kMaxOffset = 1ull << 32;  // bytes

TilingField FieldFromJson(const Json& f) {
  using Kind = TilingField::Kind;
  const std::string kind = f.value("kind", ""), type = f.value("type", "");
  if (kind != "value" && kind != "array" && kind != "struct") Wrong("a field of no kind");
  if (type.size() > kLongestName || !IsType(type))
    Wrong("a type that is none: '" + type.substr(0, kLongestName) + "'");
  return {Name(f, "name"), type,
          kind == "array"    ? Kind::kArray
          : kind == "struct" ? Kind::kStruct
                             : Kind::kValue,
          Count(f, "count", kMaxCount), f.contains("offset") ? Count(f, "offset", kMaxOffset) : 0};
}

// Of an answer whose status is "ok".
Description OkDescriptionFromJson(const Json& answer) {
  Description out;
  for (const Json& op : List(answer, "ops", kMaxOps)) out.ops.push_back(OperatorFromJson(op));
  std::vector<TilingStruct> structs;
  for (const Json& s : List(answer, "structs", kMaxStructs)) {
    structs.push_back({Name(s, "name"), Count(s, "size", uint64_t{1} << 32), {}});
    for (const Json& f : List(s, "fields", kMaxFields))
      structs.back().fields.push_back(FieldFromJson(f));
  }
  for (const Json& t : List(answer, "tiling", kMaxStructs))
    out.tiling.push_back({Name(t, "op"), Name(t, "class")});
  constexpr const char* kUsual = "default_tiling_class";
  out.structs = structs;
  out.tiling_header = TilingHeader(structs, Says(answer, kUsual) ? Name(answer, kUsual) : "");
  return out;
}

// Extents below 0 are not known yet.
std::vector<int64_t> Extents(const Json& shape) {
  constexpr size_t kMaxAxes = 25;
  if (!shape.is_array() || shape.size() > kMaxAxes) Wrong("a shape that is none");
  for (const Json& n : shape)
    if (!n.is_number_integer()) Wrong("a shape that is none");
  return shape;
}

std::vector<uint8_t> TilingBytesFromJson(const Json& answer) {
  auto hex = answer.find("tiling_hex");
  if (hex == answer.end() || !hex->is_string()) Wrong("no tiling data");
  const std::string& digits = hex->get_ref<const std::string&>();
  if (digits.size() > 2 * kMaxTilingBytes)
    Wrong(std::to_string(digits.size() / 2) + " bytes of tiling data; " +
          std::to_string(kMaxTilingBytes) + " are possible");
  if (digits.size() % 2 ||
      !std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isxdigit(c); }))
    Wrong("tiling data that is none");
  return base::BytesOfHex(digits);
}

// Likewise.
TileReply OkTileReplyFromJson(const Json& answer) {
  TileReply out;
  out.tiling = TilingBytesFromJson(answer);
  out.block_dim = uint32_t(Count(answer, "block_dim", UINT32_MAX));
  out.tiling_key = Count(answer, "tiling_key", UINT64_MAX);
  out.need_atomic = Says(answer, "need_atomic");
  for (const Json& w : List(answer, "workspaces", kMaxWorkspaces)) {
    if (!w.is_number_unsigned()) Wrong("a workspace of no size");
    out.workspaces.push_back(w);
  }
  for (const Json& shape : List(answer, "inferred_shapes", kMaxTensors))
    out.inferred_shapes.push_back(Extents(shape));
  out.inferred_dtypes = Numbers(answer, "inferred_dtypes");
  return out;
}

template <typename F>
auto Checked(F read) -> base::Result<decltype(read())> {
  try {
    return read();
  } catch (const std::exception& e) {  // ours, and what JSON says of kinds
    return base::Error{"AK0612", std::string("host code answers what cannot be used: ") + e.what(),
                       "op_host",
                       "give operators, parameters and tiling fields names that are identifiers"};
  }
}

// Structs that kernel_tiling/kernel_tiling.h declares: the kernel includes that header.
bool IsOfTheLibrary(const std::string& name) {
  static const std::set<std::string> kNames = {
#define AKGEN_TILING_BEGIN(name) #name,
#define AKGEN_TILING(type, field)
#define AKGEN_TILING_END(name)
#include "akgen/tilings.inc"
#undef AKGEN_TILING_BEGIN
#undef AKGEN_TILING
#undef AKGEN_TILING_END
  };
  return kNames.contains(name);
}

std::string BareName(const std::string& type) {
  const size_t colon = type.rfind(':');
  return colon == std::string::npos ? type : type.substr(colon + 1);
}

void Append(const TilingStruct& s, std::string* text) {
  using Kind = TilingField::Kind;
  if (IsOfTheLibrary(s.name)) {
    text->insert(0, "#include \"kernel_tiling/kernel_tiling.h\"\n");
    return;
  }
  *text += "struct alignas(8) " + s.name + " {\n";
  for (const TilingField& f : s.fields) {
    // A nested struct lies at a multiple of 8 even if its own alignment is less.
    *text += (f.kind == Kind::kStruct ? "  alignas(8) " + BareName(f.type) : "  " + f.type) + " " +
             f.name;
    if (f.kind == Kind::kArray) *text += "[" + std::to_string(f.count) + "]";
    *text += ";\n";
  }
  *text += "};\nstatic_assert(sizeof(" + s.name +
           ") == " + std::to_string(std::max<uint64_t>(s.size, 8)) + ", \"layout of " + s.name +
           "\");\n";
}
}  // namespace

base::Result<Description> CheckedDescription(const Json& answer) {
  return Checked([&] { return OkDescriptionFromJson(answer); });
}
base::Result<TileReply> CheckedTiling(const Json& answer) {
  return Checked([&] { return OkTileReplyFromJson(answer); });
}

std::string TilingHeader(const std::vector<TilingStruct>& structs, const std::string& usual) {
  std::string text;
  for (const TilingStruct& s : structs) Append(s, &text);
  if (!usual.empty()) text += "#define AKGEN_DEFAULT_TILING " + usual + "\n";
  return text;
}

}  // namespace akgen::judge
