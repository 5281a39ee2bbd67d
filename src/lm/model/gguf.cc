#include "lm/model/gguf.h"

#include <ATen/ATen.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstring>

#include "base/files.h"
#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {
namespace fs = std::filesystem;
using base::Error;
using base::Json;

namespace {
Error Damaged(const std::string& why, const std::string& where) {
  return Error{"AK1901", why, where, "download the file again"};
}

// Elements and bytes of one block.
struct Block {
  int64_t elements, bytes;
};
Block BlockOf(uint32_t type) {
  switch (type) {
    case 0: return {1, 4};
    case 1: return {1, 2};
    case 6: return {32, 22};
    case 8: return {32, 34};
    case 12: return {256, 144};
    case 14: return {256, 210};
    case 30: return {1, 2};
    default: return {0, 0};
  }
}

template <typename T>
T At(const unsigned char* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
float HalfAt(const unsigned char* p) { return float(At<at::Half>(p)); }

// d q, with q of five bits: the upper ones of all 32 in a word of their own.
void Q5_0(const unsigned char* p, float* y) {
  const float d = HalfAt(p);
  const uint32_t upper = At<uint32_t>(p + 2);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * float(int((p[6 + i] & 15) | ((upper >> i & 1) << 4)) - 16);
    y[i + 16] = d * float(int((p[6 + i] >> 4) | ((upper >> (i + 16) & 1) << 4)) - 16);
  }
}

void Q8_0(const unsigned char* p, float* y) {
  const float d = HalfAt(p);
  for (int i = 0; i < 32; ++i) y[i] = d * float(static_cast<signed char>(p[2 + i]));
}

// Eight groups of 32: d scale q - dmin least, scales and least values of six bits.
void Q4_K(const unsigned char* p, float* y) {
  const float d = HalfAt(p), dmin = HalfAt(p + 2);
  const unsigned char *s = p + 4, *q = p + 16;
  for (int g = 0; g < 8; ++g, y += 32) {
    const int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | (s[g - 4] >> 6 << 4);
    const int least = g < 4 ? s[g + 4] & 63 : (s[g + 4] >> 4) | (s[g] >> 6 << 4);
    for (int i = 0; i < 32; ++i)
      y[i] = d * float(scale) * float(g % 2 ? q[i] >> 4 : q[i] & 15) - dmin * float(least);
    if (g % 2) q += 32;
  }
}

// Sixteen groups of 16: d scale q, with q of six bits, four below and two above.
void Q6_K(const unsigned char* p, float* y) {
  const float d = HalfAt(p + 208);
  for (int half = 0; half < 2; ++half, y += 128) {
    const unsigned char *low = p + 64 * half, *high = p + 128 + 32 * half;
    const auto* scales = reinterpret_cast<const signed char*>(p + 192 + 8 * half);
    for (int i = 0; i < 128; ++i) {
      const int part = i / 32, at = i % 32,
                nibble = low[at + 32 * (part % 2)] >> (part < 2 ? 0 : 4) & 15;
      y[i] = d * float(scales[i / 16]) * float((nibble | (high[at] >> 2 * part & 3) << 4) - 32);
    }
  }
}
}  // namespace

// Reads values one after the other; `ok` falls when the file ends before one does.
class GgufCursor {
 public:
  GgufCursor(const std::string& bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  bool ok() const { return ok_; }
  template <typename T>
  T Take() {
    if (!ok_ || bytes_.size() - at_ < sizeof(T)) return ok_ = false, T{};
    T v;
    std::memcpy(&v, bytes_.data() + at_, sizeof v);
    at_ += sizeof v;
    return v;
  }
  std::string Text() {
    const auto n = Take<uint64_t>();
    if (!ok_ || bytes_.size() - at_ < n) return ok_ = false, std::string();
    at_ += n;
    return bytes_.substr(at_ - n, n);
  }
  Json Value(uint32_t type, int depth = 0) {
    switch (type) {
      case 0: return Take<uint8_t>();
      case 1: return Take<int8_t>();
      case 2: return Take<uint16_t>();
      case 3: return Take<int16_t>();
      case 4: return Take<uint32_t>();
      case 5: return Take<int32_t>();
      case 6: return Take<float>();
      case 7: return Take<uint8_t>() != 0;
      case 8: return Text();
      case 10: return Take<uint64_t>();
      case 11: return Take<int64_t>();
      case 12: return Take<double>();
      case 9: {
        const auto of = Take<uint32_t>();
        const auto count = Take<uint64_t>();
        Json list = Json::array();
        if (depth > 2 || count > bytes_.size()) return ok_ = false, list;
        for (uint64_t i = 0; ok_ && i < count; ++i) list.push_back(Value(of, depth + 1));
        return list;
      }
      default: return ok_ = false, Json();
    }
  }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

base::Status GgufFile::ReadTensors(GgufCursor& cursor, uint64_t count, const std::string& where) {
  std::vector<std::pair<std::string, uint64_t>> offsets;
  for (uint64_t i = 0; cursor.ok() && i < count; ++i) {
    std::string name = cursor.Text();
    GgufTensor t;
    t.size = 1;
    const auto dims = cursor.Take<uint32_t>();
    if (dims > 4)
      return Damaged("tensor `" + name + "` has " + std::to_string(dims) + " dimensions", where);
    for (uint32_t d = 0; d < dims; ++d) {
      const auto n = cursor.Take<uint64_t>();
      if (n == 0 || n > (uint64_t(1) << 40) / uint64_t(t.size))
        return Damaged("tensor `" + name + "` has no usable shape", where);
      t.shape.insert(t.shape.begin(), int64_t(n)), t.size *= int64_t(n);
    }
    t.type = cursor.Take<uint32_t>();
    offsets.push_back({name, cursor.Take<uint64_t>()});
    if (!tensors_.emplace(std::move(name), std::move(t)).second)
      return Damaged("two tensors have one name", where);
  }
  if (!cursor.ok()) return Damaged("the file ends in its list of tensors", where);
  const Json alignment = values_.value("general.alignment", Json(32));
  const uint64_t align = alignment.is_number_unsigned() || alignment.is_number_integer()
                             ? alignment.get<uint64_t>()
                             : 0;
  if (align == 0 || align > 65536) return Damaged("general.alignment is no alignment", where);
  const uint64_t data = (cursor.at() + align - 1) / align * align;
  for (const auto& [name, offset] : offsets) {
    GgufTensor& t = tensors_[name];
    const Block block = BlockOf(t.type);
    if (block.elements == 0)
      return Error{"AK1903", "tensor `" + name + "` has ggml's type " + std::to_string(t.type),
                   where, "F32, F16, BF16, Q5_0, Q8_0, Q4_K and Q6_K are known"};
    if (t.shape.empty() || t.shape.back() % block.elements)
      return Damaged("tensor `" + name + "` has rows that are no whole blocks", where);
    const uint64_t bytes = uint64_t(t.size / block.elements * block.bytes);
    if (data > bytes_.size() || offset > bytes_.size() - data ||
        bytes > bytes_.size() - data - offset)
      return Damaged("tensor `" + name + "` lies beyond the end of the file", where);
    t.data = reinterpret_cast<const unsigned char*>(bytes_.data()) + data + offset;
  }
  return {};
}

base::Status GgufFile::Read(const std::string& where) {
  GgufCursor cursor(bytes_);
  const auto magic = cursor.Take<uint32_t>(), version = cursor.Take<uint32_t>();
  if (magic != 0x46554747 || version < 2 || version > 3)
    return Damaged("this is no GGUF file of version 2 or 3", where);
  const auto tensors = cursor.Take<uint64_t>(), values = cursor.Take<uint64_t>();
  for (uint64_t i = 0; cursor.ok() && i < values; ++i) {
    std::string name = cursor.Text();
    const auto type = cursor.Take<uint32_t>();
    values_[name] = cursor.Value(type);
  }
  if (!cursor.ok())
    return Damaged("the file ends in its values, or has one of an unknown type", where);
  return ReadTensors(cursor, tensors, where);
}

base::Result<GgufFile> GgufFile::Open(const fs::path& path) {
  auto bytes = base::ReadFile(path);
  if (!bytes.ok()) return bytes.error();
  GgufFile out;
  out.bytes_ = std::move(*bytes);
  if (auto s = out.Read(path.string()); !s.ok()) return s.error();
  return out;
}

void Dequantise(const GgufTensor& t, float* out) {
  const Block block = BlockOf(t.type);
  const unsigned char* p = t.data;
  for (int64_t i = 0; i < t.size; i += block.elements, p += block.bytes) {
    switch (t.type) {
      case 0: out[i] = At<float>(p); break;
      case 1: out[i] = HalfAt(p); break;
      case 6: Q5_0(p, out + i); break;
      case 8: Q8_0(p, out + i); break;
      case 12: Q4_K(p, out + i); break;
      case 14: Q6_K(p, out + i); break;
      case 30: out[i] = float(At<at::BFloat16>(p)); break;
    }
  }
}

namespace {
// config.json of what the file's values say.
Json ConfigOf(const GgufFile& file) {
  const Json& v = file.values();
  const std::string type = v.value("general.architecture", ""), p = type + ".";
  const auto embedding = file.tensors().find("token_embd.weight");
  Json j = {{"model_type", type},
            {"hidden_act", "silu"},
            {"tie_word_embeddings", file.tensors().count("output.weight") == 0},
            {"vocab_size", embedding == file.tensors().end() ? 0 : embedding->second.shape[0]}};
  const std::pair<const char*, const char*> keys[] = {
      {"hidden_size", "embedding_length"},
      {"num_hidden_layers", "block_count"},
      {"num_attention_heads", "attention.head_count"},
      {"num_key_value_heads", "attention.head_count_kv"},
      {"head_dim", "attention.key_length"},
      {"intermediate_size", "feed_forward_length"},
      {"max_position_embeddings", "context_length"},
      {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
      {"rope_theta", "rope.freq_base"}};
  for (const auto& [ours, theirs] : keys)
    if (v.contains(p + theirs)) j[ours] = v[p + theirs];
  if (v.contains("tokenizer.ggml.eos_token_id"))
    j["eos_token_id"] = v["tokenizer.ggml.eos_token_id"];
  j["architectures"] = Json::array({type == "qwen2" ? "Qwen2ForCausalLM" : "Qwen3ForCausalLM"});
  if (v.contains(p + "rope.scaling.type") && v[p + "rope.scaling.type"] != Json("none"))
    j["rope_scaling"] = {{"rope_type", v[p + "rope.scaling.type"]}};
  return j;
}
}  // namespace

std::string GgufName(const std::string& name) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"model.embed_tokens.", "token_embd."},
      {"model.norm.", "output_norm."},
      {"lm_head.", "output."},
      {"model.layers.", "blk."},
      {"self_attn.q_proj.", "attn_q."},
      {"self_attn.k_proj.", "attn_k."},
      {"self_attn.v_proj.", "attn_v."},
      {"self_attn.o_proj.", "attn_output."},
      {"self_attn.q_norm.", "attn_q_norm."},
      {"self_attn.k_norm.", "attn_k_norm."},
      {"input_layernorm.", "attn_norm."},
      {"post_attention_layernorm.", "ffn_norm."},
      {"mlp.gate_proj.", "ffn_gate."},
      {"mlp.up_proj.", "ffn_up."},
      {"mlp.down_proj.", "ffn_down."}};
  std::string out = name;
  for (const auto& [theirs, ours] : kNames)
    if (const size_t at = out.find(theirs); at != std::string::npos)
      out.replace(at, std::strlen(theirs), ours);
  return out;
}
base::Result<Checkpoint> LoadGguf(const GgufFile& file, const std::string& where) {
  auto config = ModelConfig::FromJson(ConfigOf(file), where);
  if (!config.ok()) return config.error();
  Checkpoint out;
  out.model = std::make_shared<Model>(std::move(*config));
  out.flat = at::zeros({out.model->flat_size()}, at::kFloat);
  size_t used = 0;
  for (const NamedPart& part : out.model->parts()) {
    const std::string name = GgufName(part.name);
    auto it = file.tensors().find(name);
    if (it == file.tensors().end() || it->second.shape != part.shape)
      return Error{
          "AK1903",
          "tensor `" + name + "` is missing, or not of the shape that the file's values say", where,
          "convert the model's checkpoint in place of this file"};
    Dequantise(it->second, out.flat.data_ptr<float>() + part.at);
    ++used;
  }
  used += file.tensors().count("rope_freqs.weight");
  if (used != file.tensors().size())
    return Error{"AK1903", "the file has tensors with no place in the model", where,
                 "only decoders as such are known"};
  return out;
}

base::Result<Json> TokenizerJson(const GgufFile& file, const std::string& where) {
  const Json &v = file.values(), none = Json::array();
  const Json tokens = v.value("tokenizer.ggml.tokens", none),
             types = v.value("tokenizer.ggml.token_type", none),
             merges = v.value("tokenizer.ggml.merges", none);
  if (v.value("tokenizer.ggml.model", Json()) != Json("gpt2") ||
      v.value("tokenizer.ggml.pre", Json()) != Json("qwen2") || !tokens.is_array() ||
      tokens.empty() || !types.is_array() || types.size() != tokens.size() || !merges.is_array())
    return Error{"AK1910", "the file's tokenizer is not the byte-level BPE of Qwen2", where,
                 "give the tokenizer.json of the model's checkpoint"};
  Json vocab = Json::object(), added = Json::array();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_string() || !types[i].is_number_integer())
      return Damaged("token " + std::to_string(i) + " is no text", where);
    const int type = types[i].get<int>();  // 1 of texts, 3 control, 4 defined by the user, 5 unused
    if (type == 1)
      vocab[tokens[i].get<std::string>()] = i;
    else if (type == 3 || type == 4)
      added.push_back({{"id", i}, {"content", tokens[i]}, {"special", type == 3}});
  }
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", kQwenPattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json bytes = {{"type", "ByteLevel"},
                      {"add_prefix_space", false},
                      {"trim_offsets", false},
                      {"use_regex", false}};
  return Json{
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", {{"type", "NFC"}}},
      {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", Json::array({split, bytes})}}},
      {"decoder", bytes},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
}

}  // namespace akgen::lm
