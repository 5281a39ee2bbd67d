// akgen-lm: the process that holds libtorch and a model's weights. `akgen lm` starts it; it also
// stands alone.
//   akgen-lm train SETTINGS OUT [--resume]     SETTINGS: a JSON file, or the JSON itself
//   akgen-lm tokenize SETTINGS OUT             learns a tokenizer: {"data": [files], "vocab_size":
//   n} akgen-lm serve MODEL                       a request a line in, an answer a line out
//   (docs/lm.md) akgen-lm chat MODEL REQUEST                one such request; texts out akgen-lm
//   with a channel on descriptor 3: requests of `akgen generate` akgen-lm bench SETTINGS tokens per
//   second of training and sampling, as JSON
// Exit status: 0 done, 2 usage error or bad input, 3 internal error.
#include <fmt/core.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <iostream>

#include "base/channel.h"
#include "base/files.h"
#include "base/math_libraries.h"
#include "base/process.h"
#include "base/terminal.h"
#include "lm/bench.h"
#include "lm/model/checkpoint.h"
#include "lm/sample/sampler.h"
#include "lm/tokenizer/chat_template.h"
#include "lm/tokenizer/train_bpe.h"
#include "lm/train/trainer.h"
#include "record/completion.h"

namespace akgen::lm {
namespace {
using base::Error;
using base::Json;
constexpr int kOk = 0, kUsage = 2, kFault = 3;

int Report(const Error& e) {
  fmt::print(stderr, "{}\n", e.ToString());
  return e.code == "AK1923" ? kFault : kUsage;
}

base::Result<Json> SettingsOf(const std::string& text) {
  std::string json = text, where = "settings";
  if (text.empty() || text[0] != '{') {
    auto file = base::ReadFile(text);
    if (!file.ok()) return file.error();
    json = *file, where = text;
  }
  Json j = base::Parse(json);
  if (!j.is_object())
    return Error{"AK1921", "the settings are no JSON object", where,
                 "docs/lm.md lists the settings"};
  return j;
}

// Completions go out as a line, rewards come back as one.
base::Result<std::vector<double>> AskRewards(const std::vector<Rollout>& rollouts) {
  std::vector<record::RewardedText> texts;
  for (const Rollout& r : rollouts) texts.push_back({base::Parse(r.source), r.text, r.finish});
  std::cout << base::Dump(record::RolloutsToJson(texts)) << "\n" << std::flush;
  std::string line;
  std::getline(std::cin, line);
  const auto rewards = record::RewardsFromJson(base::Parse(line));
  if (!rewards)
    return Error{"AK1926", "no line with `rewards` came back", "standard input",
                 "docs/lm.md describes the exchange"};
  std::vector<double> out;
  for (const auto& r : *rewards) out.push_back(r.value_or(NAN));
  return out;
}

int RunTrain(const std::string& settings, const std::string& out, bool resume) {
  auto json = SettingsOf(settings);
  if (!json.ok()) return Report(json.error());
  auto s = TrainSettings::FromJson(*json, "settings");
  if (!s.ok()) return Report(s.error());
  bool terminal = base::MovesCursor(STDERR_FILENO);
  auto status = Train(
      *s, out, resume,
      [&](const TrainReport& r) {
        bool line = r.validation >= 0 || r.step == r.steps || (!terminal && r.step % 10 == 0);
        if (!terminal && !line) return;
        int full = int(20 * r.step / std::max<int64_t>(1, r.steps));
        fmt::print(
            stderr, "{}[{:<20}] {}/{}  loss {:.4f}  {:.0f} tok/s{}  norm {:.2f}  {} left{}{}",
            terminal ? "\r\033[K" : "", std::string(size_t(full), '='), r.step, r.steps, r.loss,
            r.tokens_per_second, r.mfu > 0 ? fmt::format(" ({:.1f} % MFU)", 100 * r.mfu) : "",
            r.norm, base::TimeText(r.seconds_left),
            r.validation >= 0 ? fmt::format("  validation {:.4f}", r.validation) : "",
            line ? "\n" : "");
      },
      AskRewards);
  return status.ok() ? kOk : Report(status.error());
}

// Texts of a JSONL file (every string in it), or the whole of another file.
void AddTexts(const Json& j, BpeTrainer& trainer) {
  if (j.is_string())
    trainer.Add(j.get_ref<const std::string&>());
  else if (j.is_structured())
    for (const Json& x : j) AddTexts(x, trainer);
}

struct TokenizeSettings {
  BpeOptions options;
  std::vector<std::string> data;  // files
};
TokenizeSettings TokenizeSettingsFromJson(const Json& j) {
  TokenizeSettings out;
  if (j.contains("vocab_size") && j["vocab_size"].is_number_integer())
    out.options.vocab_size = j["vocab_size"].get<int>();
  if (std::string p = j.value("pattern", "qwen"); p != "qwen")
    out.options.pattern = p == "program" ? kProgramPattern : p;
  for (const Json& file : j.value("data", Json::array()))
    out.data.push_back(file.is_string() ? file.get<std::string>() : "");
  return out;
}

int RunTokenize(const std::string& settings, const std::string& out) {
  auto json = SettingsOf(settings);
  if (!json.ok()) return Report(json.error());
  const TokenizeSettings wanted = TokenizeSettingsFromJson(*json);
  auto trainer = BpeTrainer::Create(wanted.options);
  if (!trainer.ok()) return Report(trainer.error());
  for (const std::string& path : wanted.data) {
    auto text = base::ReadFile(path);
    if (!text.ok()) return Report(text.error());
    if (path.size() < 6 || path.substr(path.size() - 6) != ".jsonl") {
      trainer->Add(*text);
      continue;
    }
    for (size_t at = 0, n = 1; at < text->size(); ++n) {
      size_t end = std::min(text->find('\n', at), text->size());
      Json line = base::Parse(text->substr(at, end - at));
      if (line.is_discarded() && end > at)
        return Report({"AK1920", "the line is not JSON", path + ":" + std::to_string(n), ""});
      AddTexts(line, *trainer);
      at = end + 1;
    }
  }
  auto tokenizer = trainer->Finish();
  if (!tokenizer.ok()) return Report(tokenizer.error());
  std::error_code ec;
  std::filesystem::create_directories(out, ec);
  if (auto s = base::WriteFileAtomic(out + "/tokenizer.json", base::Dump(tokenizer->ToJson()));
      !s.ok())
    return Report(s.error());
  if (auto s = base::WriteFileAtomic(out + "/tokenizer_config.json",
                                     base::Dump(TokenizerConfig(*tokenizer), 2) + "\n");
      !s.ok())
    return Report(s.error());
  fmt::print(stderr, "{} tokens in {}/tokenizer.json\n", tokenizer->size(), out);
  return kOk;
}

int RunServe(const std::string& folder) {
  auto model = LocalModel::Load(folder);
  if (!model.ok()) return Report(model.error());
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty()) continue;
    Json answer = (*model)->Answer(base::Parse(line));
    std::cout << base::Dump(answer) << "\n" << std::flush;
  }
  return kOk;
}

// As a helper of akgen: {"load": folder} once, then requests, over the channel its parent gave it.
int RunHelper() {
  base::Channel parent = base::ParentChannel();
  std::unique_ptr<LocalModel> model;
  for (;;) {
    auto m = parent.Receive();
    if (!m.ok()) return kOk;  // the parent has gone
    Json answer = {{"loaded", true}};
    if (const auto load = record::LoadModelRequestFromJson(m->body)) {
      auto loaded = LocalModel::Load(load->folder);
      if (loaded.ok())
        model = std::move(*loaded);
      else
        answer = ErrorJson(loaded.error());
    } else {
      answer = model ? model->Answer(m->body)
                     : ErrorJson({"AK1932", "no model is loaded", "request", ""});
    }
    if (auto sent = parent.Send(answer); !sent.ok()) return kOk;
  }
}

bool HasParent() {
  struct stat s{};
  return ::fstat(3, &s) == 0 && S_ISSOCK(s.st_mode);
}

int RunChat(const std::string& folder, const std::string& request) {
  auto model = LocalModel::Load(folder);
  if (!model.ok()) return Report(model.error());
  const auto reply = record::CompletionReplyFromJson((*model)->Answer(base::Parse(request)));
  if (reply.error) return Report(*reply.error);
  for (const record::CompletionChoice& c : reply.choices) fmt::print("{}\n", c.text);
  fmt::print(stderr, "{} tokens at {:.0f} a second\n", reply.tokens,
             double(reply.tokens) / reply.write_s);
  return kOk;
}

// The same model with its numbers stored as another type; what stands beside the weights comes
// along. A file of llama.cpp becomes a checkpoint with its tokenizer.
int RunConvert(const std::string& from, const std::string& dtype, const std::string& out) {
  namespace fs = std::filesystem;
  auto c = LoadCheckpoint(from);
  if (!c.ok()) return Report(c.error());
  std::map<std::string, std::string> beside;
  if (fs::is_regular_file(from)) {
    auto tokenizer = LoadTokenizer(from);
    if (!tokenizer.ok()) return Report(tokenizer.error());
    beside = {{"tokenizer.json", base::Dump(tokenizer->ToJson())},
              {"tokenizer_config.json", base::Dump(TokenizerConfig(*tokenizer))}};
  }
  for (const char* file : {"tokenizer.json", "tokenizer_config.json", "generation_config.json"}) {
    if (!fs::exists(fs::path(from) / file)) continue;  // a bare checkpoint may lack them
    auto text = base::ReadFile(fs::path(from) / file);
    if (!text.ok()) return Report(text.error());
    beside[file] = *text;
  }
  if (auto s = SaveCheckpoint(*c->model, c->flat, out, dtype); !s.ok()) return Report(s.error());
  for (const auto& [name, content] : beside)
    if (auto s = base::WriteFileAtomic(fs::path(out) / name, content); !s.ok())
      return Report(s.error());
  return kOk;
}

int RunBench(const std::string& settings) {
  auto json = SettingsOf(settings);
  if (!json.ok()) return Report(json.error());
  auto result = Bench(*json);
  if (!result.ok()) return Report(result.error());
  fmt::print("{}\n", base::Dump(*result, 2));
  return kOk;
}

int Main(const std::vector<std::string>& a) {
  if (a.empty() && HasParent()) return RunHelper();
  bool resume = a.size() == 4 && a[3] == "--resume";
  if (a.size() >= 3 && a[0] == "train" && (a.size() == 3 || resume))
    return RunTrain(a[1], a[2], resume);
  if (a.size() == 3 && a[0] == "tokenize") return RunTokenize(a[1], a[2]);
  if (a.size() == 2 && a[0] == "serve") return RunServe(a[1]);
  if (a.size() == 3 && a[0] == "chat") return RunChat(a[1], a[2]);
  if (a.size() == 4 && a[0] == "convert") return RunConvert(a[1], a[2], a[3]);
  if (a.size() == 2 && a[0] == "bench") return RunBench(a[1]);
  fmt::print(stderr,
             "usage: akgen-lm train SETTINGS OUT [--resume] | tokenize SETTINGS OUT | serve MODEL "
             "| chat MODEL REQUEST "
             "| convert MODEL DTYPE OUT | bench SETTINGS\n");
  return kUsage;
}
}  // namespace
}  // namespace akgen::lm

int main(int argc, char** argv) try {
  akgen::base::EndWithParent();
  akgen::base::RestartWithMathLibrarySettings(argv);
  // Activations are asked for and given back all the time: kept, their pages need not be zeroed
  // again.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
  const int code = akgen::lm::Main({argv + 1, argv + argc});
  std::fflush(nullptr);
  ::_exit(code);  // not by return: libtorch takes its thousands of operators apart one by one
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: an error of akgen-lm itself: %s\n", e.what());
  return 3;
}
