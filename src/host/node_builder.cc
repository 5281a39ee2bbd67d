#include "host/node_builder.h"

#include "exe_graph/runtime/infer_shape_context.h"

namespace akgen::host {
namespace {
using base::Json;

gert::Shape ShapeOf(const std::vector<int64_t>& dims) { return gert::Shape(dims); }

void ReadTensor(const record::TileTensor& in, HostTensor& out) {
  gert::Shape origin = in.shape ? ShapeOf(*in.shape) : gert::Shape();
  gert::Shape storage = in.storage.empty() ? origin : ShapeOf(in.storage);
  auto type = static_cast<ge::DataType>(in.dtype);
  auto format = static_cast<ge::Format>(in.format);
  gert::StorageFormat formats(static_cast<ge::Format>(in.origin_format.value_or(in.format)),
                              format);
  out.tensor = gert::Tensor(gert::StorageShape(origin, storage), formats, type);
  out.desc = gert::CompileTimeTensorDesc(type, formats);
  if (in.data.empty()) return;
  out.data.assign(in.data.begin(), in.data.end());
  out.tensor.SetData(out.data.data(), out.data.size());
}

std::string ReadParams(const std::vector<record::TileParam>& given, const OpParams& params,
                       const char* what, std::vector<gert::AnchorInstanceInfo>& ir,
                       std::deque<HostTensor>& instances) {
  if (given.size() > params.size()) {
    return std::string("the call has ") + std::to_string(given.size()) + " " + what +
           "s, the definition " + std::to_string(params.size());
  }
  size_t index = 0;
  for (const OpParamData& param : params) {
    const record::TileParam* entry = index < given.size() ? &given[index] : nullptr;
    ++index;
    auto start = static_cast<uint32_t>(instances.size());
    const bool absent = !entry || !entry->present;
    if (absent && param.type == ops::REQUIRED) {
      return std::string("required ") + what + " '" + param.name + "' is missing";
    }
    if (!absent)
      for (const record::TileTensor& t : entry->tensors) ReadTensor(t, instances.emplace_back());
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

std::string FillNode(const record::TileRequest& request, const OpDefData& op,
                     const HostFunctions& functions, HostNode& node) {
  node.type = node.name = op.type;
  node.deterministic = request.deterministic;
  std::string problem = ReadParams(request.inputs, op.inputs, "input", node.ir_inputs, node.inputs);
  if (problem.empty())
    problem = ReadParams(request.outputs, op.outputs, "output", node.ir_outputs, node.outputs);
  if (problem.empty()) problem = ReadAttrs(request.attrs, op, functions, node);
  if (!problem.empty()) return problem;
  const bool infer =
      std::any_of(request.outputs.begin(), request.outputs.end(), [](const record::TileParam& p) {
        return p.present && !p.list && !p.tensors.empty() && !p.tensors[0].shape;
      });
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
