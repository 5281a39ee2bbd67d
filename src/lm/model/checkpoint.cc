#include "lm/model/checkpoint.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

#include "base/files.h"
#include "lm/model/adapter.h"
#include "lm/model/gguf.h"
#include "lm/model/safetensors.h"

namespace akgen::lm {
namespace fs = std::filesystem;
using base::Error;
using base::Json;

namespace {
std::optional<at::ScalarType> ScalarOf(const std::string& dtype) {
  if (dtype == "F32") return at::kFloat;
  if (dtype == "BF16") return at::kBFloat16;
  if (dtype == "F16") return at::kHalf;
  if (dtype == "F64") return at::kDouble;
  return std::nullopt;
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string s = "[";
  for (int64_t d : shape) s += (s.size() > 1 ? ", " : "") + std::to_string(d);
  return s + "]";
}

Error Mismatch(const std::string& why, const fs::path& where) {
  return Error{"AK1903", why, where.string(), "config.json and the tensors must be of one model"};
}

// The files that hold the tensors.
base::Result<std::vector<fs::path>> Files(const fs::path& folder) {
  std::error_code ec;
  if (fs::exists(folder / "model.safetensors", ec))
    return std::vector<fs::path>{folder / "model.safetensors"};
  fs::path index = folder / "model.safetensors.index.json";
  auto text = base::ReadFile(index);
  if (!text.ok())
    return Error{"AK1901", "the folder holds neither model.safetensors nor an index of shards",
                 folder.string(), "give the folder of a checkpoint"};
  Json j = base::Parse(*text);
  if (!j.is_object() || !j.contains("weight_map") || !j["weight_map"].is_object())
    return Error{"AK1901", "the index of shards has no weight_map", index.string(),
                 "copy or download the checkpoint again"};
  std::set<std::string> names;
  for (const Json& name : j["weight_map"]) {
    std::string shard = name.is_string() ? name.get<std::string>() : "";
    if (shard.empty() || shard.find('/') != std::string::npos)
      return Error{"AK1901", "the index of shards names no file", index.string(), ""};
    names.insert(shard);
  }
  std::vector<fs::path> files;
  for (const std::string& n : names) files.push_back(folder / n);
  return files;
}

base::Status CopyPart(const NamedPart& part, const TensorView& from, const at::Tensor& flat,
                      const fs::path& where) {
  if (from.shape != part.shape)
    return Mismatch("tensor `" + part.name + "` is " + ShapeText(from.shape) +
                        ", the configuration asks for " + ShapeText(part.shape),
                    where);
  auto scalar = ScalarOf(from.dtype);
  if (!scalar)
    return Mismatch(
        "tensor `" + part.name + "` has dtype " + from.dtype + "; F32, BF16 or F16 is expected",
        where);
  at::Tensor raw = at::empty({part.size}, *scalar);  // the file need not be aligned
  std::memcpy(raw.data_ptr(), from.data, from.bytes);
  flat.narrow(0, part.at, part.size).copy_(raw);
  return {};
}
// The checkpoint that an adapter belongs to, with the adapter merged.
base::Result<Checkpoint> LoadAdapted(const fs::path& folder) {
  const fs::path said = folder / "adapter_config.json";
  auto text = base::ReadFile(said);
  if (!text.ok()) return text.error();
  Json config = base::Parse(*text);
  if (!config.is_object() || !config.value("base_model_name_or_path", Json()).is_string())
    return Error{"AK1902", "the adapter names no base_model_name_or_path", said.string(),
                 "say there which folder holds its model"};
  std::error_code ec;
  const fs::path base =
      folder /
      config["base_model_name_or_path"].get<std::string>();  // an absolute one replaces the folder
  if (!fs::is_regular_file(base, ec) && !fs::exists(base / "config.json", ec))
    return Error{"AK1902", "the adapter's model is not there: " + base.string(), said.string(),
                 "copy or download it, and write its folder to base_model_name_or_path"};
  auto c = LoadCheckpoint(base);
  if (!c.ok()) return c.error();
  auto adapter = Adapter::Read(folder, *c->model);
  if (!adapter.ok()) return adapter.error();
  adapter->first.Merge(adapter->second, c->flat, c->flat);
  return c;
}
}  // namespace

base::Result<Checkpoint> LoadCheckpoint(const fs::path& folder) {
  std::error_code ec;
  if (fs::is_regular_file(folder, ec)) {
    auto file = GgufFile::Open(folder);
    if (!file.ok()) return file.error();
    return LoadGguf(*file, folder.string());
  }
  if (!fs::exists(folder / "config.json", ec) && fs::exists(folder / "adapter_config.json", ec))
    return LoadAdapted(folder);
  auto text = base::ReadFile(folder / "config.json");
  if (!text.ok()) return text.error();
  auto config = ModelConfig::FromJson(base::Parse(*text), (folder / "config.json").string());
  if (!config.ok()) return config.error();
  auto files = Files(folder);
  if (!files.ok()) return files.error();
  std::vector<TensorFile> open;
  std::map<std::string, const TensorView*> tensors;
  for (const fs::path& f : *files) {
    auto file = TensorFile::Open(f);
    if (!file.ok()) return file.error();
    open.push_back(std::move(*file));
    for (const auto& [name, t] : open.back().tensors())
      if (!tensors.emplace(name, &t).second)
        return Mismatch("two shards hold tensor `" + name + "`", folder);
  }
  if (config->tied) tensors.erase("lm_head.weight");  // some writers repeat the embedding
  Checkpoint c;
  auto model = std::make_shared<Model>(*config);
  if (tensors.size() > model->parts().size())  // before memory is asked for
    for (const auto& [name, t] : tensors)
      if (std::none_of(model->parts().begin(), model->parts().end(),
                       [&, n = name](const NamedPart& p) { return p.name == n; }))
        return Mismatch("tensor `" + name + "` has no place in the model", folder);
  for (const NamedPart& p : model->parts())
    if (!tensors.count(p.name)) return Mismatch("tensor `" + p.name + "` is missing", folder);
  c.flat = at::zeros({model->flat_size()}, at::kFloat);
  for (const NamedPart& p : model->parts()) {
    const TensorView& t = *tensors[p.name];
    if (auto s = CopyPart(p, t, c.flat, folder); !s.ok()) return s.error();
    if (p.shape.size() > 1) c.dtype = t.dtype;
  }
  c.model = std::move(model);
  return c;
}

base::Result<Tokenizer> LoadTokenizer(const fs::path& checkpoint) {
  std::error_code ec;
  char magic[4] = {};
  std::ifstream(checkpoint, std::ios::binary).read(magic, sizeof magic);
  if (std::string_view(magic, sizeof magic) == "GGUF") {
    auto file = GgufFile::Open(checkpoint);
    if (!file.ok()) return file.error();
    auto json = TokenizerJson(*file, checkpoint.string());
    if (!json.ok()) return json.error();
    return Tokenizer::FromJson(*json, checkpoint.string());
  }
  if (!fs::exists(checkpoint / "tokenizer.json", ec))
    if (auto text = base::ReadFile(checkpoint / "adapter_config.json"); text.ok())
      if (const Json base = base::Parse(*text).value("base_model_name_or_path", Json());
          base.is_string())
        return LoadTokenizer(checkpoint / base.get<std::string>());
  return Tokenizer::Load(checkpoint);
}

namespace {
base::Status SaveShards(const std::vector<std::map<std::string, TensorView>>& shards, size_t bytes,
                        const fs::path& folder) {
  if (shards.size() == 1) return WriteTensors(folder / "model.safetensors", shards[0]);
  Json map = Json::object();
  for (size_t i = 0; i < shards.size(); ++i) {
    char name[64];
    std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", i + 1, shards.size());
    if (auto s = WriteTensors(folder / name, shards[i]); !s.ok()) return s;
    for (const auto& [tensor, view] : shards[i]) map[tensor] = name;
  }
  return base::WriteFileAtomic(
      folder / "model.safetensors.index.json",
      base::Dump(Json({{"metadata", {{"total_size", bytes}}}, {"weight_map", map}}), 2) + "\n");
}
}  // namespace

base::Status SaveCheckpoint(const Model& model, const at::Tensor& flat, const fs::path& folder,
                            const std::string& dtype, size_t shard_bytes) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  auto scalar = ScalarOf(dtype);
  if (!scalar)
    return Error{"AK1902", "dtype " + dtype + " cannot be written", folder.string(),
                 "F32, BF16 or F16"};
  at::Tensor stored = flat.detach().to(at::kCPU).to(*scalar).contiguous();
  const char* data = static_cast<const char*>(stored.data_ptr());
  size_t element = ElementBytes(dtype), bytes = 0, all = 0;
  std::vector<std::map<std::string, TensorView>> shards(1);
  for (const NamedPart& p : model.parts()) {
    size_t n = size_t(p.size) * element;
    if (bytes > 0 && bytes + n > shard_bytes) shards.emplace_back(), bytes = 0;
    shards.back().emplace(p.name, TensorView{dtype, p.shape, data + size_t(p.at) * element, n});
    bytes += n, all += n;
  }
  if (auto s = SaveShards(shards, all, folder); !s.ok()) return s;
  return base::WriteFileAtomic(folder / "config.json",
                               base::Dump(model.config().ToJson(), 2) + "\n");
}

}  // namespace akgen::lm
