// Doors of local models: checkpoints, tokenizers, grammars and training data that somebody else
// made.
#include <cstring>

#include "base/files.h"
#include "fuzz.h"
#include "lm/model/config.h"
#include "lm/model/safetensors.h"
#include "lm/sample/grammar.h"
#include "lm/tokenizer/tokenizer.h"
#include "lm/train/data.h"
#include "lm/train/settings.h"

namespace akgen::fuzz {
namespace {
using base::Error;
using base::Json;

AKGEN_DOOR(
    kConfigs, "config.json of models",
    {R"({"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "vocab_size": 512, "hidden_size": 64,
         "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "num_experts": 4,
         "num_experts_per_tok": 2, "moe_intermediate_size": 32, "norm_topk_prob": true, "tie_word_embeddings": true,
         "max_position_embeddings": 128, "rms_norm_eps": 1e-6, "eos_token_id": 2,
         "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}})"},
    [](const std::string& text) {
      const Json j = base::Parse(text);
      auto config = lm::ModelConfig::FromJson(j, "config.json");
      if (config.ok()) (void)base::Dump(config->ToJson()), (void)config->OperationsPerToken(128);
      return DepthOf(config, text);
    });

// The text is the header: its length goes in front, and as many bytes of data follow as the seed
// needs.
AKGEN_DOOR(
    kWeights, "headers of weights",
    {R"({"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
         "b": {"dtype": "BF16", "shape": [4], "data_offsets": [24, 32]}, "c": {"dtype": "I64", "shape": [], "data_offsets": [32, 40]}})"},
    [](const std::string& text) {
      const uint64_t length = text.size();
      std::string file(8, '\0');
      std::memcpy(file.data(), &length, 8);
      auto open =
          lm::TensorFile::Open(Written("model.safetensors", file + text + std::string(40, '\1')));
      if (open.ok())
        for (const auto& [name, tensor] : open->tensors())
          if (tensor.bytes && tensor.data[0] + tensor.data[tensor.bytes - 1] != 2)
            return Depth::kUnreadable;
      return DepthOf(open, text);
    });

std::string TokenizerText() {
  std::vector<std::string> vocab;
  for (int i = 0; i < 256; ++i) vocab.emplace_back(1, char(i));
  vocab.insert(vocab.end(), {"ab", "abc", " a"});
  auto made = lm::Tokenizer::Make(
      vocab, {{'a', 'b'}, {256, 'c'}, {' ', 'a'}},
      {{259, "<|im_start|>", true}, {260, "<|im_end|>", true}, {261, "<think>", false}},
      lm::kQwenPattern);
  return base::Dump(made->ToJson());
}

AKGEN_DOOR(kTokenizers, "tokenizers", {TokenizerText()}, [](const std::string& text) {
  auto tokenizer = lm::Tokenizer::FromJson(base::Parse(text), "tokenizer.json");
  if (tokenizer.ok())
    (void)tokenizer->Decode(tokenizer->Encode("abcab abc 12 \xc3\xa9<|im_end|> x\n\n  y"), false);
  return DepthOf(tokenizer, text);
});

AKGEN_DOOR(
    kSettings, "settings of training",
    {R"({"objective": "grpo", "data": ["a.jsonl"], "init": "m", "steps": 10, "model": {"hidden": 64, "layers": 2},
         "lora_rank": 4, "lora_targets": ["q_proj"], "group": 4, "temperature": 0.9, "lr": 0.001, "seed": 3})"},
    [](const std::string& text) {
      auto settings = lm::TrainSettings::FromJson(base::Parse(text), "settings");
      if (settings.ok()) (void)base::Dump(settings->ToJson()), (void)settings->LearningRate(5, 10);
      return DepthOf(settings, text);
    });

// A grammar whose rules do not fit together has been read.
bool IsOfRules(const Error& e) {
  return e.where == "grammar" || e.message.find("rule `") != std::string::npos ||
         e.message.find("too ") != std::string::npos;
}

AKGEN_DOOR(
    kGrammars, "grammars",
    {"root ::= def+\ndef ::= \"def \" name \"(\" (name (\", \" name){0,3})? \"):\\n\" line+ # a "
     "program\n"
     "line ::= \"  \" name \" = \" sum \"\\n\"\nsum ::= term ([+*-] term)*\nterm ::= name | number "
     "| \"(\" sum \")\"\n"
     "name ::= [a-z_] [a-z0-9_]{0,15}\nnumber ::= [0-9]+ (\".\" [^\\x00-\\x2f:-\\U0010ffff]*)?\n"},
    [](const std::string& text) {
      auto grammar = lm::Grammar::Parse(text, "grammar");
      if (!grammar.ok()) return IsOfRules(grammar.error()) ? Depth::kRefused : Depth::kUnreadable;
      int state = (*grammar)->start();
      for (const char c : std::string_view("def f(a, b_1):\n  c = a + (b_1*2.5)\n  d = c"))
        if (state = (*grammar)->Next(state, static_cast<unsigned char>(c));
            state == lm::Grammar::kDead)
          break;
      return Depth::kTaken;
    });

AKGEN_DOOR(kData, "training data",
           {"{\"messages\": [{\"role\": \"system\", \"content\": \"s\"}, {\"role\": \"user\", "
            "\"content\": \"u\"}, {\"role\": "
            "\"assistant\", \"content\": \"a\"}]}\n{\"prompt\": \"p\", \"completion\": "
            "\"c\"}\n{\"text\": \"abc\"}\n"},
           [](const std::string& text) {
             static const lm::Tokenizer tokenizer =
                 *lm::Tokenizer::FromJson(base::Parse(TokenizerText()), "seed");
             return DepthOf(lm::ReadData({Written("data.jsonl", text).string()}, tokenizer, 64),
                            text);
           });
}  // namespace
}  // namespace akgen::fuzz
