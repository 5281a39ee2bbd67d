// Byte-level BPE as Hugging Face stores it in tokenizer.json (model type BPE, pre-tokenizer
// ByteLevel with or without a Split). Token ids are indices below size(). A normalizer NFC is taken
// as done: text that is not in that form is cut as it stands. Objects are immutable after loading
// and may be shared by threads.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "lm/tokenizer/splitter.h"

namespace akgen::lm {

// The pre-tokenizer of Qwen2 and later.
extern const char* const kQwenPattern;
// For one language of programs: digits and names with numbers (v12) stand apart, all else may join
// across words and lines. A program of the kernel language takes 2.4 times fewer tokens than with
// Qwen's.
extern const char* const kProgramPattern;

struct AddedToken {
  int id = 0;
  std::string content;
  bool special = true;
};

class Tokenizer {
 public:
  // Reads DIR/tokenizer.json or the file itself. AK1910 malformed or of a kind that is not
  // supported.
  static base::Result<Tokenizer> Load(const std::filesystem::path& path);
  static base::Result<Tokenizer> FromJson(const base::Json& json, const std::string& where);

  // `vocab[i]` are the bytes of token i, `merges` pairs of ids in order of rank; added tokens
  // follow the vocabulary.
  static base::Result<Tokenizer> Make(std::vector<std::string> vocab,
                                      const std::vector<std::pair<int, int>>& merges,
                                      const std::vector<AddedToken>& added,
                                      const std::string& pattern);
  base::Json ToJson() const;

  // Added tokens inside the text become their ids unless `added` is off (text of strangers).
  std::vector<int> Encode(std::string_view text, bool added = true) const;
  std::string Decode(const std::vector<int>& ids, bool keep_special = true) const;

  int size() const { return int(bytes_.size()); }
  // The bytes a token stands for; an added token's text.
  const std::string& Bytes(int id) const { return bytes_[size_t(id)]; }
  bool IsAdded(int id) const { return added_ids_.count(id) > 0; }
  // The id of an added token or -1.
  int Find(std::string_view content) const;

 private:
  base::Status ReadModel(const base::Json& model, const std::string& where);
  base::Status ReadAdded(const base::Json& added, const std::string& where);
  base::Status SetPattern(const std::string& pattern);
  void AddToken(const AddedToken& token);
  void EncodeText(std::string_view text, std::vector<int>& out) const;
  void EncodePiece(std::string_view piece, std::vector<int>& out) const;

  struct Merge {
    int rank, id;
  };
  std::vector<std::string> bytes_;
  std::unordered_map<std::string, int> ids_;
  std::unordered_map<uint64_t, Merge> merges_;
  std::vector<std::pair<int, int>> merge_list_;
  std::vector<AddedToken> added_;
  std::unordered_map<int, size_t> added_ids_;
  bool ignore_merges_ = false;
  std::string pattern_;
  std::shared_ptr<const Splitter> splitter_;
};

// Bytes as the printable characters tokenizer.json writes them with, and back. False when a
// character is none of them.
std::string ToPrintable(std::string_view bytes);
bool FromPrintable(std::string_view text, std::string& bytes);

}  // namespace akgen::lm
