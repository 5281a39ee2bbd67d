// tokenizer.json: read what is supported, refuse the rest by name, write what Hugging Face's
// `tokenizers` reads.
#include <algorithm>

#include "base/files.h"
#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {
using base::Error;
using base::Json;

const char* const kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
const char* const kProgramPattern = R"([a-z]+\d+|\d|(?:(?![a-z]+\d)[^\d])+)";

namespace {
constexpr const char* kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr int kMaxTokens =
    1 << 22;  // ids index vectors: a file cannot ask for more memory than this

Error BadTokenizer(const std::string& why, const std::string& where) {
  return Error{"AK1910", why, where,
               "use the tokenizer.json of a byte-level BPE model (Qwen, GPT-2, Llama 3)"};
}

std::string TypeOf(const Json& j) { return j.is_object() ? j.value("type", "") : ""; }

// The pattern text is cut by, of a ByteLevel pre-tokenizer alone or behind one Split.
base::Result<std::string> PatternOf(const Json& pre, const std::string& where) {
  Json list =
      TypeOf(pre) == "Sequence" ? pre.value("pretokenizers", Json::array()) : Json::array({pre});
  std::string pattern;
  bool bytes = false;
  for (const Json& p : list) {
    std::string type = TypeOf(p);
    if (type == "Split" && pattern.empty() && p.contains("pattern") &&
        p["pattern"].contains("Regex")) {
      if (p.value("behavior", "") != "Isolated" || p.value("invert", false))
        return BadTokenizer("pre-tokenizer Split: only `Isolated`, not inverted, is supported",
                            where);
      pattern = p["pattern"]["Regex"].get<std::string>();
    } else if (type == "ByteLevel") {
      bytes = true;
      if (p.value("add_prefix_space", false))
        return BadTokenizer("pre-tokenizer ByteLevel: add_prefix_space is not supported", where);
      if (p.value("use_regex", true) && pattern.empty()) pattern = kGpt2Pattern;
    } else {
      return BadTokenizer("pre-tokenizer `" + type + "` is not supported", where);
    }
  }
  if (!bytes || pattern.empty()) return BadTokenizer("the pre-tokenizer is not byte-level", where);
  return pattern;
}
}  // namespace

base::Status Tokenizer::ReadModel(const Json& model, const std::string& where) {
  if (TypeOf(model) != "BPE" || !model.contains("vocab") || !model["vocab"].is_object())
    return BadTokenizer("the model is not BPE with a vocabulary", where);
  ignore_merges_ = model.value("ignore_merges", false);
  const Json& vocab = model["vocab"];
  for (auto it = vocab.begin(); it != vocab.end(); ++it) {
    std::string bytes;
    if (!it->is_number_integer() || it->get<int64_t>() < 0 || it->get<int64_t>() >= kMaxTokens)
      return BadTokenizer("token `" + it.key() + "` has no usable id", where);
    size_t id = it->get<size_t>();
    if (!FromPrintable(it.key(), bytes))
      bytes = it.key();  // an added token that the vocabulary lists too
    if (id >= bytes_.size()) bytes_.resize(id + 1);
    if (!bytes_[id].empty())
      return BadTokenizer("two tokens have the id " + std::to_string(id), where);
    bytes_[id] = bytes;
    ids_.emplace(std::move(bytes), int(id));
  }
  for (const Json& m : model.value("merges", Json::array())) {
    std::string left, right, a, b;
    if (m.is_string()) {
      std::string text = m.get<std::string>();
      size_t space = text.find(' ');
      left = text.substr(0, space),
      right = space == std::string::npos ? "" : text.substr(space + 1);
    } else if (m.is_array() && m.size() == 2 && m[0].is_string() && m[1].is_string()) {
      left = m[0].get<std::string>(), right = m[1].get<std::string>();
    }
    if (left.empty() || right.empty() || !FromPrintable(left, a) || !FromPrintable(right, b))
      return BadTokenizer("merge " + std::to_string(merge_list_.size()) + " is malformed", where);
    auto ia = ids_.find(a), ib = ids_.find(b), ic = ids_.find(a + b);
    if (ia == ids_.end() || ib == ids_.end() || ic == ids_.end())
      return BadTokenizer("merge `" + left + " " + right + "` names no token", where);
    merges_.emplace((uint64_t(uint32_t(ia->second)) << 32) | uint32_t(ib->second),
                    Merge{int(merge_list_.size()), ic->second});
    merge_list_.push_back({ia->second, ib->second});
  }
  return {};
}

base::Status Tokenizer::ReadAdded(const Json& added, const std::string& where) {
  for (const Json& a : added) {
    if (!a.is_object() || !a.contains("id") || !a["id"].is_number_integer() ||
        !a.contains("content") || !a["content"].is_string())
      return BadTokenizer("an added token lacks id or content", where);
    int64_t id = a["id"].get<int64_t>();
    if (id < 0 || id >= kMaxTokens || a["content"].get<std::string>().empty())
      return BadTokenizer("an added token has no usable id or content", where);
    AddToken({int(id), a["content"].get<std::string>(), a.value("special", false)});
  }
  return {};
}

base::Result<Tokenizer> Tokenizer::FromJson(const Json& json, const std::string& where) {
  if (!json.is_object() || !json.contains("model"))
    return BadTokenizer("this is not a tokenizer.json", where);
  try {
    Tokenizer t;
    if (auto s = t.ReadModel(json["model"], where); !s.ok()) return s.error();
    if (auto s = t.ReadAdded(json.value("added_tokens", Json::array()), where); !s.ok())
      return s.error();
    std::string normal = TypeOf(json.value("normalizer", Json()));
    if (!normal.empty() && normal != "NFC")
      return BadTokenizer("normalizer `" + normal + "` is not supported", where);
    auto pattern = PatternOf(json.value("pre_tokenizer", Json()), where);
    if (!pattern.ok()) return pattern.error();
    if (auto s = t.SetPattern(*pattern); !s.ok()) return s.error();
    return t;
  } catch (const Json::exception& e) {
    return BadTokenizer(std::string("a value has another type than expected: ") + e.what(), where);
  }
}

base::Result<Tokenizer> Tokenizer::Load(const std::filesystem::path& path) {
  std::error_code ec;
  std::filesystem::path file =
      std::filesystem::is_directory(path, ec) ? path / "tokenizer.json" : path;
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  Json json = base::Parse(*text);
  if (json.is_discarded()) return BadTokenizer("the file is not JSON (cut short?)", file.string());
  return FromJson(json, file.string());
}

Json Tokenizer::ToJson() const {
  Json vocab = Json::object(), merges = Json::array(), added = Json::array();
  for (size_t i = 0; i < bytes_.size(); ++i)
    if (!IsAdded(int(i)) && !bytes_[i].empty()) vocab[ToPrintable(bytes_[i])] = i;
  for (auto [a, b] : merge_list_)
    merges.push_back(ToPrintable(Bytes(a)) + " " + ToPrintable(Bytes(b)));
  for (const AddedToken& t : added_)
    added.push_back({{"id", t.id},
                     {"content", t.content},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", t.special}});
  Json split = {{"type", "Split"},
                {"pattern", {{"Regex", pattern_}}},
                {"behavior", "Isolated"},
                {"invert", false}};
  auto byte_level = [](bool trim) {
    return Json{{"type", "ByteLevel"},
                {"add_prefix_space", false},
                {"trim_offsets", trim},
                {"use_regex", false}};
  };
  Json model = {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", nullptr},
                {"continuing_subword_prefix", ""},
                {"end_of_word_suffix", ""},
                {"fuse_unk", false},
                {"byte_fallback", false},
                {"ignore_merges", ignore_merges_},
                {"vocab", vocab},
                {"merges", merges}};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer",
           {{"type", "Sequence"}, {"pretokenizers", Json::array({split, byte_level(false)})}}},
          {"post_processor", byte_level(false)},
          {"decoder", byte_level(false)},
          {"model", model}};
}

}  // namespace akgen::lm
