#include "host/node_builder.h"

#include "exe_graph/runtime/infer_shape_context.h"

namespace akgen::host {
namespace {
using base::Json;

int HexDigit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

gert::Shape ReadShape(const Json& dims) { return gert::Shape(dims.get<std::vector<int64_t>>()); }

void ReadTensor(const Json& in, HostTensor& out) {
  gert::Shape origin = in.contains("shape") ? ReadShape(in["shape"]) : gert::Shape();
  gert::Shape storage = in.contains("storage_shape") ? ReadShape(in["storage_shape"]) : origin;
  auto type = static_cast<ge::DataType>(in.at("dtype").get<int>());
  auto format = static_cast<ge::Format>(in.value("format", static_cast<int>(ge::FORMAT_ND)));
  const auto origin_format =
      static_cast<ge::Format>(in.value("origin_format", static_cast<int>(format)));
  gert::StorageFormat formats(origin_format, format);
  out.tensor = gert::Tensor(gert::StorageShape(origin, storage), formats, type);
  out.desc = gert::CompileTimeTensorDesc(type, formats);
  if (!in.contains("data")) return;
  const std::string& hex = in["data"].get_ref<const std::string&>();
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.data.push_back(static_cast<char>(HexDigit(hex[i]) << 4 | HexDigit(hex[i + 1])));
  }
  out.tensor.SetData(out.data.data(), out.data.size());
}

std::string ReadParams(const Json& list, const OpParams& params, const char* what,
                       std::vector<gert::AnchorInstanceInfo>& ir,
                       std::deque<HostTensor>& instances) {
  if (list.size() > params.size()) {
    return std::string("the call has ") + std::to_string(list.size()) + " " + what +
           "s, the definition " + std::to_string(params.size());
  }
  size_t index = 0;
  for (const OpParamData& param : params) {
    Json entry = index < list.size() ? list[index] : Json();
    ++index;
    auto start = static_cast<uint32_t>(instances.size());
    bool absent = entry.is_null() || (entry.is_object() && !entry.value("present", true));
    if (absent && param.type == ops::REQUIRED) {
      return std::string("required ") + what + " '" + param.name + "' is missing";
    }
    if (!absent && entry.contains("list")) {
      for (const Json& item : entry["list"]) ReadTensor(item, instances.emplace_back());
    } else if (!absent) {
      ReadTensor(entry, instances.emplace_back());
    }
    ir.emplace_back(start, static_cast<uint32_t>(instances.size()) - start);
  }
  return {};
}

void Store(std::vector<uint64_t>& out, const void* data, size_t size) {
  out.assign(size / 8 + 1, 0);
  std::memcpy(out.data(), data, size);
}

template <typename T>
void StoreList(std::vector<uint64_t>& out, const Json& value) {
  gert::ContinuousVector head(value.size());
  out.assign(sizeof head / 8 + value.size() * sizeof(T) / 8 + 1, 0);
  std::memcpy(out.data(), &head, sizeof head);
  T* items = reinterpret_cast<T*>(out.data() + sizeof head / 8);
  for (size_t i = 0; i < value.size(); ++i) items[i] = value[i].get<T>();
}

// Booleans and whole numbers given for another numeric kind are taken by value.
double Number(const Json& value) {
  return value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
}

bool StoreAttr(const std::string& kind, const Json& value, std::vector<uint64_t>& out) {
  if (kind == "int") {
    int64_t v =
        value.is_number_integer() ? value.get<int64_t>() : static_cast<int64_t>(Number(value));
    Store(out, &v, sizeof v);
  } else if (kind == "float") {
    float v = static_cast<float>(Number(value));
    Store(out, &v, sizeof v);
  } else if (kind == "bool") {
    bool v = value.is_boolean() ? value.get<bool>() : Number(value) != 0;
    Store(out, &v, sizeof v);
  } else if (kind == "string") {
    const std::string& v = value.get_ref<const std::string&>();
    Store(out, v.c_str(), v.size() + 1);
  } else if (kind == "list_int") {
    StoreList<int64_t>(out, value);
  } else if (kind == "list_float") {
    StoreList<float>(out, value);
  } else if (kind == "list_bool") {
    StoreList<bool>(out, value);
  } else {
    return false;
  }
  return true;
}

// The value of an optional attribute that has no default: zero, empty.
Json ZeroOf(const std::string& kind) {
  if (kind == "string") return "";
  if (kind.rfind("list", 0) == 0) return Json::array();
  return 0;
}

std::string ReadAttrs(const Json& given, const OpDefData& op, const HostFunctions& functions,
                      HostNode& node) {
  for (const auto& item : given.items()) {
    bool known = std::any_of(op.attrs.begin(), op.attrs.end(),
                             [&](const auto& a) { return a.name == item.key(); });
    if (!known)
      HostLog() += "attribute '" + item.key() + "' of the call is not in the definition\n";
  }
  for (const OpAttrData& attr : op.attrs) {
    Json value = given.is_object() && given.contains(attr.name) ? given[attr.name] : attr.value;
    if (value.is_null() && attr.required)
      return "required attribute '" + attr.name + "' has no value";
    if (value.is_null()) value = ZeroOf(attr.kind);
    if (!StoreAttr(attr.kind, value, node.attr_storage.emplace_back())) {
      return "attribute '" + attr.name + "' has no kind that is known (" + attr.kind + ")";
    }
  }
  for (const PrivateAttr& attr : functions.private_attrs)
    StoreAttr(attr.kind, attr.value.is_null() ? ZeroOf(attr.kind) : attr.value,
              node.attr_storage.emplace_back());
  return {};
}

}  // namespace

std::string FillNode(const Json& request, const OpDefData& op, const HostFunctions& functions,
                     HostNode& node) {
  node.type = node.name = op.type;
  node.deterministic = request.value("deterministic", 0);
  const Json none = Json::array();
  const Json& inputs = request.contains("inputs") ? request["inputs"] : none;
  const Json& outputs = request.contains("outputs") ? request["outputs"] : none;
  std::string problem = ReadParams(inputs, op.inputs, "input", node.ir_inputs, node.inputs);
  if (problem.empty())
    problem = ReadParams(outputs, op.outputs, "output", node.ir_outputs, node.outputs);
  if (problem.empty())
    problem = ReadAttrs(request.value("attrs", Json::object()), op, functions, node);
  if (!problem.empty()) return problem;
  bool infer = false;
  for (const Json& output : outputs)
    infer = infer || (output.is_object() && output.contains("dtype") && !output.contains("shape"));
  if (!infer) return {};
  if (functions.infer_shape == nullptr)
    return "an output has no shape and the operator has no InferShape";
  gert::InferShapeContext context(&node);
  if (functions.infer_shape(&context) != ge::GRAPH_SUCCESS) return "InferShape failed";
  for (HostTensor& output : node.outputs)
    output.tensor.MutableStorageShape() = output.tensor.GetOriginShape();
  return {};
}

}  // namespace akgen::host
