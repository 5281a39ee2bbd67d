// akgen lm: hands over to akgen-lm, the process that holds libtorch. This one only reads options
// and TOML.

#include <fmt/core.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "base/math_libraries.h"
#include "base/toml.h"
#include "cli/lm.h"
#include "cli/output.h"

namespace akgen::cli {
namespace {
using base::Error;
using base::Json;

// Replaces this process; returns only when that is not possible.
int Start(std::vector<std::string> args) {
  std::string program = (base::ExecutableDir() / "akgen-lm").string();
  args.insert(args.begin(), program);
  std::vector<char*> argv;
  for (std::string& a : args) argv.push_back(a.data());
  argv.push_back(nullptr);
  base::SetMathLibraries();
  ::execv(program.c_str(), argv.data());
  PrintError({"AK1940", "local models need akgen-lm, which is not beside this program", program,
              "install libtorch-dev and libpcre2-dev, then configure and build again"});
  return kFault;
}

struct LmArgs {
  std::string config, out, model, prompt, grammar, dtype = "bf16";
  std::vector<std::string> data;
  int vocab = 4096;
  std::string pattern = "qwen";
  int64_t n = 1, max_tokens = 1024;
  double temperature = 0.7;
  uint64_t seed = 0;
  bool resume = false;
};

int RunTrain(const LmArgs& a) {
  auto settings = ReadSettings(a.config);
  if (!settings.ok()) return PrintError(settings.error()), kUsage;
  std::vector<std::string> args = {"train", base::Dump(*settings), a.out};
  if (a.resume) args.push_back("--resume");
  return Start(std::move(args));
}

// One request through the line protocol; the answers on standard output.
int RunChat(const LmArgs& a) {
  Json request = {{"messages", Json::array({{{"role", "user"}, {"content", a.prompt}}})},
                  {"n", a.n},
                  {"max_tokens", a.max_tokens},
                  {"temperature", a.temperature},
                  {"seed", a.seed}};
  if (!a.grammar.empty()) {
    auto text = base::ReadFile(a.grammar);
    if (!text.ok()) return PrintError(text.error()), kUsage;
    request["grammar"] = *text;
  }
  return Start({"chat", a.model, base::Dump(request)});
}
}  // namespace

base::Result<Json> ReadSettings(const std::string& file) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  toml::parse_result table = toml::parse(*text, file);
  if (!table)
    return Error{"AK1921", "the file is not TOML: " + std::string(table.error().description()),
                 file + ":" + std::to_string(table.error().source().begin.line),
                 "docs/lm.md lists the settings"};
  std::ostringstream json;
  json << toml::json_formatter{table.table()};
  return base::Parse(json.str());
}

using Args = std::shared_ptr<LmArgs>;

static void AddTraining(CLI::App* lm, const Args& a, int& exit_code) {
  CLI::App* train = lm->add_subcommand("train", "Train a model: supervised or by preferences");
  train->add_option("--config", a->config, "Settings, a TOML file")
      ->required()
      ->check(CLI::ExistingFile);
  train->add_option("--out", a->out, "Folder of the run: model/, metrics.jsonl, state.safetensors")
      ->required();
  train->add_flag("--resume", a->resume, "Resume the run in the folder");
  train->callback([a, &exit_code] { exit_code = RunTrain(*a); });
  CLI::App* tokenize = lm->add_subcommand("tokenize", "Train a tokenizer on texts");
  tokenize->add_option("data", a->data, "Text files; from .jsonl files every string")
      ->required()
      ->check(CLI::ExistingFile);
  tokenize->add_option("--vocab", a->vocab, "Vocabulary size")->capture_default_str();
  tokenize
      ->add_option("--pattern", a->pattern,
                   "Pre-tokenizer: qwen (words, as Qwen), program (numbers and names with numbers "
                   "are separate; all else may "
                   "merge, across lines too), or a regular expression")
      ->capture_default_str();
  tokenize->add_option("--out", a->out, "Folder for tokenizer.json")->required();
  tokenize->callback([a, &exit_code] {
    exit_code = Start(
        {"tokenize",
         base::Dump(Json{{"data", a->data}, {"vocab_size", a->vocab}, {"pattern", a->pattern}}),
         a->out});
  });
}

static void AddUse(CLI::App* lm, const Args& a, int& exit_code) {
  CLI::App* chat = lm->add_subcommand("chat", "Prompt a local model");
  chat->add_option("model", a->model, "Folder of a checkpoint")
      ->required()
      ->check(CLI::ExistingDirectory);
  chat->add_option("prompt", a->prompt, "The user's message")->required();
  chat->add_option("--grammar", a->grammar, "GBNF file that the answer must follow")
      ->check(CLI::ExistingFile);
  chat->add_option("-n", a->n, "Answers")->capture_default_str();
  chat->add_option("--max-tokens", a->max_tokens, "Maximum tokens per completion")
      ->capture_default_str();
  chat->add_option("--temperature", a->temperature,
                   "Sampling temperature; 0: always the likeliest token")
      ->capture_default_str();
  chat->add_option("--seed", a->seed, "Sampling seed")->capture_default_str();
  chat->callback([a, &exit_code] { exit_code = RunChat(*a); });
  CLI::App* convert = lm->add_subcommand(
      "convert",
      "Store a model's weights in another dtype, or make a checkpoint of llama.cpp's file");
  convert->add_option("model", a->model, "Folder of a checkpoint, or a GGUF file")
      ->required()
      ->check(CLI::ExistingPath);
  convert->add_option("--dtype", a->dtype, "bf16, f16 or f32")
      ->check(CLI::IsMember({"bf16", "f16", "f32"}))
      ->capture_default_str();
  convert->add_option("--out", a->out, "Folder of the new checkpoint")->required();
  convert->callback([a, &exit_code] {
    std::string dtype = a->dtype;
    for (char& c : dtype) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    exit_code = Start({"convert", a->model, dtype, a->out});
  });
  CLI::App* serve = lm->add_subcommand("serve", "Answer requests, JSON lines on standard input");
  serve->add_option("model", a->model, "Folder of a checkpoint")
      ->required()
      ->check(CLI::ExistingDirectory);
  serve->callback([a, &exit_code] { exit_code = Start({"serve", a->model}); });
  CLI::App* bench =
      lm->add_subcommand("bench", "Tokens per second of training and sampling on this machine");
  bench->add_option("--config", a->config, "Shape and sizes, a TOML file; default: the mini model")
      ->check(CLI::ExistingFile);
  bench->callback([a, &exit_code] {
    base::Result<Json> settings =
        a->config.empty() ? base::Result<Json>(Json::object()) : ReadSettings(a->config);
    exit_code = settings.ok() ? Start({"bench", base::Dump(*settings)})
                              : (PrintError(settings.error()), kUsage);
  });
}

static void AddLm(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<LmArgs>();
  CLI::App* lm = app.add_subcommand("lm", "Local models: train, chat, serve, measure (docs/lm.md)");
  lm->require_subcommand(1);
  AddTraining(lm, a, exit_code);
  AddUse(lm, a, exit_code);
  AddLmReinforce(lm, exit_code);
  lm->footer(
      "Examples: akgen lm tokenize corpus.jsonl --vocab 4096 --out tokenizer\n"
      "          akgen lm train --config sft.toml --out run --resume\n"
      "          akgen lm chat run/model \"Write a kernel for x + y\" --grammar "
      "docs/craft/grammar.gbnf");
}

static const Command kLmCommand{130, AddLm};

}  // namespace akgen::cli
