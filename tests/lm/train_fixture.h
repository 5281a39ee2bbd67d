// A short training in a temporary folder.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "lm/train/trainer.h"

namespace akgen::lm {
inline const std::filesystem::path kTrainData = AKGEN_LM_DATA;

inline std::string Sample(int i) {
  std::string x = std::to_string(i % 10);
  return base::Json{{"prompt", "write add " + x},
                    {"completion", "y = x + " + x + "\n" + (i % 3 ? "" : "store(y, z)\n")}}
             .dump() +
         "\n";
}

class LmTrain : public testing::Test {
 protected:
  LmTrain() : dir_(std::move(*base::TempDir::Create())) {
    std::string text, pairs;
    for (int i = 0; i < 40; ++i) text += Sample(i);
    for (int i = 0; i < 10; ++i)
      pairs += base::Json{{"prompt", "write add " + std::to_string(i)},
                          {"chosen", "y = x + " + std::to_string(i) + "\n"},
                          {"rejected", "y = x - 7\n"}}
                   .dump() +
               "\n";
    Write("train.jsonl", text), Write("pairs.jsonl", pairs);
    settings_.data = {Path("train.jsonl")},
    settings_.tokenizer = (kTrainData / "bpe_tiny.json").string();
    settings_.hidden = 32, settings_.layers = 2, settings_.heads = 4, settings_.kv_heads = 2,
    settings_.head_dim = 8, settings_.mlp = 48, settings_.context = 64;
    settings_.steps = 12, settings_.tokens_per_step = 200, settings_.micro_tokens = 60,
    settings_.warmup = 3, settings_.lr = 3e-3;
    settings_.save_every = 4, settings_.validate_every = 100, settings_.workers = 2;
  }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(base::WriteFileAtomic(Path(name), text).ok());
  }
  std::vector<double> Losses(const std::string& run) {
    std::vector<double> out;
    std::ifstream in(Path(run + "/metrics.jsonl"));
    for (std::string line; std::getline(in, line);)
      out.push_back(base::Json::parse(line)["loss"].get<double>());
    return out;
  }
  std::string Code(const TrainSettings& s, const std::string& run, bool resume = false) {
    auto status = Train(s, Path(run), resume, nullptr);
    return status.ok() ? "done" : status.error().code;
  }
  base::TempDir dir_;
  TrainSettings settings_;
};

}  // namespace akgen::lm
