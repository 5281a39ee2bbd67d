// `akgen generate`: candidates for tasks by a model or by rules, judged and repaired.
#include <fmt/core.h>

#include <memory>

#include "base/files.h"
#include "base/hash.h"
#include "base/seed.h"
#include "bench/candidates.h"
#include "bench/config.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/judging_options.h"
#include "cli/layers_option.h"
#include "cli/old_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "generate/loop.h"
#include "generate/together.h"
#include "judge/session/provenance.h"

namespace akgen::cli {
namespace {
namespace fs = std::filesystem;
using base::Error;

struct GenerateArgs {
  std::vector<std::string> names, tasks;
  std::string generator = "direct", out, journal, transcript, json, config,
              profile = bench::Config{}.profile, precision = "strict", inputs = "wide";
  JudgingOptions judging;
  generate::ModelSettings model;
  generate::LoopOptions loop;
  int cases = 0;
  std::optional<uint64_t> seed;
  std::string prompt = "full", grammar;
  bool time = false, no_cache = false, no_stream = false, no_transcript = false, together = false,
       require_layers = false;
};

int Usage(const Error& e) {
  PrintError(e);
  return kUsage;
}

// What decides the content of the journal. The model's address is not part of it: an endpoint may
// come back elsewhere.
base::Json ConfigOf(const GenerateArgs& a) {
  const auto& m = a.model;
  base::Json j{{"generator", a.generator},
               {"repair", a.loop.repair},
               {"improve", a.loop.improve},
               {"time", a.time},
               {"seed", a.loop.seed},
               {"inputs_seed", *a.loop.judging.seed},
               {"hidden", a.loop.hidden},
               {"kernel_only", a.loop.kernel_only},
               {"prompt", a.prompt},
               {"chip", a.judging.chip},
               {"backend", a.judging.backend},
               {"precision", a.precision},
               {"inputs", a.inputs},
               {"profile", a.profile},
               {"cases", a.cases},
               {"checks", a.judging.Checks()},
               {"timeout_s", a.judging.timeout_s},
               {"judge_hash", judge::HashOfJudge()},
               {"chip_hash", judge::HashOfChip(a.judging.chip)}};
  if (a.loop.resample > 0) j["redraw"] = a.loop.resample;
  if (a.together) j["together"] = a.loop.samples;
  if (a.loop.way != generate::Way::kPlan)
    j.update({{"model", m.url.starts_with("script:") ? m.url
                        : generate::IsLocal(m.url)   ? "local " + base::HashOfFolder(m.url)
                                                     : m.name},
              {"grammar", base::ContentHash(m.grammar)},
              {"api", m.api},
              {"temperature", m.temperature},
              {"top_p", m.top_p},
              {"max_tokens", m.max_tokens}});
  return j;
}

// A run that is resumed keeps the seed of inputs that it began with.
uint64_t InputsSeed(const GenerateArgs& a) {
  if (a.seed) return *a.seed;
  std::optional<uint64_t> before;
  (void)generate::ReadJournal(a.journal, [&](const record::JournalLine& line) {
    if (const auto* run = std::get_if<record::RunHeader>(&line); run && !before)
      before = run->inputs_seed();
  });
  return before ? *before : base::DrawSeed();
}

base::Result<std::vector<generate::Work>> WorkOf(const GenerateArgs& a) {
  std::vector<std::string> wanted = a.names;
  wanted.insert(wanted.end(), a.tasks.begin(), a.tasks.end());
  auto tasks = bench::SelectTasks(wanted);
  if (!tasks.ok()) return tasks.error();
  std::vector<generate::Work> out;
  bench::Config config;
  config.profile = a.profile;
  config.max_cases = a.cases;
  for (const auto& t : *tasks) {
    auto spec = task::LoadTaskFolder(t.folder);
    if (!spec.ok()) return spec.error();
    auto cases = bench::ProfileCases(*spec, config, "");
    if (!cases.ok()) return cases.error();
    out.push_back({std::move(*spec), std::move(*cases)});
  }
  return out;
}

int Report(const generate::LoopSummary& s, const GenerateArgs& a) {
  for (const auto& e : s.troubles) PrintError(e);
  if (a.json != "-") {
    for (const auto& [task, best] : s.best)
      if (best)
        fmt::print("{:<42} sample {} {}{}\n", task, best->sample, best->verdict,
                   best->verdict == "pass" ? "" : ": " + best->reason.substr(0, 160));
    fmt::print(
        "{} of {} tasks pass, {} of {} samples, {} turns ({} from the cache), {} + {} tokens; {}\n",
        s.tasks_passed, s.best.size(), s.samples_passed, s.samples, s.totals.turns, s.totals.cached,
        s.totals.prompt_tokens, s.totals.completion_tokens, a.out);
    if (s.samples_passed) WarnOfMissingLayers();
    WarnOfUnsealed(a.judging.Backend());
    if (s.left) fmt::print("{} samples are left; the same command resumes\n", s.left);
  }
  if (!a.json.empty())
    if (int rc = WriteJson(ToJson(s), a.json)) return rc;
  return s.left ? kFault : s.all_passed() ? kOk : kNotPassed;
}

// Settings that contradict each other.
std::optional<Error> Wrong(const GenerateArgs& a) {
  bool plan = a.loop.way == generate::Way::kPlan;
  if (a.names.empty() && a.tasks.empty())
    return Error{"AK0101", "no task is named", "", "akgen generate Sqrt …, or --tasks level1"};
  if (a.out.empty())
    return Error{"AK0708", "there is no folder for the candidates", "", "--out DIR"};
  if (!plan && a.model.url.empty())
    return Error{
        "AK0708", "there is no model", "",
        "--model http://127.0.0.1:8000/v1, --model script:answers.jsonl, or --generator plan"};
  if (plan && (a.loop.samples > 1 || a.loop.repair > 0 || a.loop.improve > 0))
    return Error{"AK0708", "the planner gives one answer and repairs none", "",
                 "leave -n, --repair and --improve out"};
  if (a.loop.kernel_only && a.loop.way != generate::Way::kDirect)
    return Error{"AK0708", "only --generator direct writes kernels without their host side", "",
                 "leave --kernel-only out"};
  if (a.loop.resample > 0 && (a.prompt != "operations" || !generate::IsLocal(a.model.url)))
    return Error{"AK0708", "--resample needs the folder of a local model and --prompt operations",
                 "", "use --repair"};
  if (a.prompt != "full" && a.loop.way != generate::Way::kCraft)
    return Error{"AK0708", "--prompt is for --generator craft", "", "leave --prompt out"};
  if (a.prompt == "operations" && (a.loop.repair > 0 || a.loop.improve > 0))
    return Error{"AK0708", "--prompt operations is without --repair and --improve", "",
                 "take --prompt full or conversation"};
  return std::nullopt;
}

int RunGenerate(GenerateArgs a) {
  a.loop.form = a.prompt == "operations"     ? generate::PromptForm::kOperations
                : a.prompt == "conversation" ? generate::PromptForm::kConversation
                                             : generate::PromptForm::kFull;
  a.loop.way = a.generator == "craft"  ? generate::Way::kCraft
               : a.generator == "plan" ? generate::Way::kPlan
                                       : generate::Way::kDirect;
  if (auto e = Wrong(a)) return Usage(*e);
  if (int rc = CheckLayers(a.require_layers)) return rc;
  auto work = WorkOf(a);
  if (!work.ok()) return Usage(work.error());
  auto chip = chip::LoadChip(a.judging.chip);
  if (!chip.ok()) return Usage(chip.error());
  std::error_code ec;
  fs::create_directories(a.out, ec);
  if (a.journal.empty()) a.journal = (fs::path(a.out) / "journal.jsonl").string();
  a.loop.seed = a.seed.value_or(1);
  a.loop.judging.seed = InputsSeed(a);
  if (!a.no_transcript)
    a.model.transcript =
        a.transcript.empty() ? fs::path(a.out) / "transcript.jsonl" : fs::path(a.transcript);
  a.model.cache = !a.no_cache;
  a.model.stream = !a.no_stream;
  a.loop.stop = CatchStop();
  if (!a.grammar.empty()) {
    auto text = base::ReadFile(a.grammar);
    if (!text.ok()) return Usage(text.error());
    a.model.grammar = *text;
  }
  std::unique_ptr<generate::Model> model;
  if (a.loop.way != generate::Way::kPlan) {
    auto made = generate::MakeModel(a.model, a.loop.stop);
    if (!made.ok()) return Usage(made.error());
    model = std::move(*made);
  }
  std::unique_ptr<generate::Model> each;
  if (model && a.together && a.loop.samples > 1) {
    each = std::move(model);
    model = std::make_unique<generate::Together>(*each, a.loop.samples);
  }
  auto journal = generate::Journal::Open(a.journal, ConfigOf(a));
  if (!journal.ok()) return Usage(journal.error());
  const generate::JournalTotals before = (*journal)->Totals();
  if (model) model->Spent(before.prompt_tokens, before.completion_tokens);
  a.loop.chip = *chip;
  a.judging.Into(a.loop.judging);
  a.loop.judging.precision = a.precision, a.loop.judging.inputs = a.inputs;
  a.loop.judging.time.on = a.time || a.loop.improve > 0;
  a.loop.judging.time.what_if = a.loop.improve > 0;
  a.loop.out = a.out;
  Progress bar;
  a.loop.progress = [&](const generate::LoopOptions::Progress& p) {
    bar.Show(p.done, p.all, p.before, p.what);
  };
  auto summary = generate::RunLoop(*work, a.loop, model.get(), **journal);
  bar.End();
  if (!summary.ok()) {
    PrintError(summary.error());
    return kFault;
  }
  return Report(*summary, a);
}

void AddModelOptions(CLI::App& c, GenerateArgs& a) {
  generate::ModelSettings& m = a.model;
  const char* group = "Model";
  c.add_option("--model", m.url,
               "OpenAI-compatible endpoint, with /v1 at its end; the folder of a local model; or "
               "script:FILE; a key is "
               "taken from $AKGEN_API_KEY or $OPENAI_API_KEY")
      ->group(group);
  c.add_option("--model-name", m.name, "The endpoint's name of the model")
      ->capture_default_str()
      ->group(group);
  c.add_option("--api", m.api, "chat or completions")
      ->check(CLI::IsMember({"chat", "completions"}))
      ->capture_default_str()
      ->group(group);
  c.add_option("--temperature", m.temperature, "Sampling temperature")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--top-p", m.top_p,
               "Nucleus sampling: cumulative probability of the tokens to draw from")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0))
      ->group(group);
  c.add_option("--max-tokens", m.max_tokens,
               "Maximum tokens per completion; 0: the endpoint's limit")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--grammar", a.grammar,
               "GBNF file that answers are held to, e.g. docs/craft/grammar.gbnf")
      ->group(group);
  c.add_flag("--logprobs", m.logprobs, "Request log-probabilities and store them")->group(group);
  c.add_flag("--no-stream", a.no_stream, "Request whole answers instead of a stream")->group(group);
}

void AddEndpointOptions(CLI::App& c, GenerateArgs& a) {
  generate::ModelSettings& m = a.model;
  const char* group = "Model";
  c.add_option("--request-timeout", m.timeout_s, "Time limit of one request, in seconds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(group);
  c.add_option("--idle-timeout", m.idle_s,
               "Seconds without a byte after which a request is aborted")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(group);
  c.add_option("--retries", m.retries, "Retries of a failed request")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--backoff", m.backoff_s,
               "Seconds before the second attempt, doubled at each further one; a longer "
               "Retry-After is honoured")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--requests-per-minute", m.requests_per_minute, "Rate limit; 0: none")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--max-total-tokens", m.most_tokens,
               "Limit of prompt and completion tokens of the whole run, earlier processes "
               "included; 0: none")
      ->capture_default_str()
      ->group(group);
  c.add_option("--max-cost", m.most_cost,
               "Limit of the cost of the whole run, in the unit of the prices; 0: none")
      ->capture_default_str()
      ->group(group);
  c.add_option("--price-in", m.price_in, "Price of a million prompt tokens")
      ->capture_default_str()
      ->group(group);
  c.add_option("--price-out", m.price_out, "Price of a million completion tokens")
      ->capture_default_str()
      ->group(group);
  c.add_option("--max-answer-bytes", m.max_answer_bytes,
               "Longer answers are cut off and count as no answer")
      ->capture_default_str()
      ->group(group);
  c.add_flag("--no-cache", a.no_cache, "Ignore cached answers to the same request and seed")
      ->group(group);
  c.add_option("--transcript", a.transcript,
               "All messages, as JSON lines; default OUT/transcript.jsonl")
      ->group(group);
  c.add_flag("--no-transcript", a.no_transcript, "Keep no transcript")->group(group);
}

constexpr const char* kExamples =
    "Example: akgen generate Sqrt --model http://127.0.0.1:8000/v1 --model-name qwen3-32b -n 4 "
    "--repair 2 --out made\n"
    "         akgen generate --tasks level1 --generator craft --model script:answers.jsonl --out "
    "made --json -\n"
    "         akgen bench run --tasks Sqrt --candidates made -n 4 --out run.db\n"
    "The same command resumes an interrupted run, even after kill -9: no turn is lost or "
    "requested twice.\n"
    "Exit code: 0 every task has a passing sample, 1 not every task, 2 usage error, 3 samples "
    "are left (no answer, budget, stopped).";

void AddJudgeOptions(CLI::App& c, GenerateArgs& a) {
  const char* group = "Judging";
  c.add_option("--profile", a.profile, "Which cases: full, sim (up to 2^21 elements), tiny (2^14)")
      ->check(CLI::IsMember({"full", "sim", "tiny"}))
      ->capture_default_str()
      ->group(group);
  c.add_option("--cases", a.cases, "Only the first so many cases of each task; 0: all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--hidden", a.loop.hidden, "Hidden cases per task, which a pass must pass as well")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  a.judging.AddTo(c, JudgingOptions::kAll, group);
  c.add_option("--inputs", a.inputs,
               "wide, or upstream for the benchmark's own number: its distributions, without the "
               "range group")
      ->check(CLI::IsMember({"wide", "upstream"}));
  c.add_option("--precision", a.precision, "strict, or upstream for the tasks' own rules")
      ->check(CLI::IsMember({"strict", "upstream"}))
      ->capture_default_str()
      ->group(group);
  c.add_flag("--time", a.time, "Model the time of passing candidates (always with --improve)")
      ->group(group);
}
}  // namespace

static void AddGenerate(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<GenerateArgs>();
  CLI::App* c = app.add_subcommand(
      "generate", "Let a model, or rules, write kernels for tasks; judge and repair them");
  c->add_option("task", a->names, "Tasks by name");
  c->add_option("--tasks", a->tasks, "level1, level2, …, all, or names; comma-separated")
      ->delimiter(',');
  c->add_option("--generator", a->generator,
                "direct: the model writes Ascend C; craft: it writes the kernel language, lowered "
                "here; plan: rules, no model")
      ->check(CLI::IsMember({"direct", "craft", "plan"}))
      ->capture_default_str();
  c->add_option("-n,--samples", a->loop.samples, "Samples per task; the best is named")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("--repair", a->loop.repair, "Maximum repair turns per sample")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  CLI::Option* resample =
      c->add_option("--resample", a->loop.resample,
                    "operations: compiler-guided resampling: how often an answer that the "
                    "language's compiler refuses "
                    "is resampled from the line it is refused for; no case is run (local models)")
          ->capture_default_str()
          ->check(CLI::NonNegativeNumber);
  AddOldName(*c, "--redraw", resample);
  c->add_option("--improve", a->loop.improve,
                "Maximum turns after a pass that ask for a faster kernel; the fastest pass is kept")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  c->add_option(
      "--out", a->out,
      "Folder for the candidates: OUT/Task/sampleK, as `akgen bench run --candidates` reads it");
  c->add_option(
      "--journal", a->journal,
      "Journal of the run, JSON lines; an existing one is resumed; default OUT/journal.jsonl");
  c->add_flag("--kernel-only", a->loop.kernel_only,
              "direct: the host side is fixed, the model writes the kernel");
  c->add_option("--prompt", a->prompt,
                "craft: full (task, chip, language, example), conversation (questions and answers, "
                "for models that do not know the language) or operations (the reference's alone, "
                "for small models)")
      ->check(CLI::IsMember({"full", "conversation", "operations"}))
      ->capture_default_str();
  c->add_flag("--together", a->together,
              "Request the first answers to a task at once: an endpoint reads the prompt once");
  c->add_flag("--first-pass", a->loop.first_pass,
              "No further samples of a task after its first pass");
  c->add_option("--seed", a->seed,
                "Sample K is requested with seed + K, and inputs are drawn from it; default: 1, "
                "and inputs from a seed "
                "that is drawn once per run and kept in the journal");
  c->add_option("--concurrency", a->loop.concurrency, "Concurrent samples")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("-j,--jobs", a->loop.jobs, "Candidates judged at a time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("--config", a->config, "TOML file with options; the command line wins");
  AddLayersOption(*c, a->require_layers);
  c->add_option("--json", a->json, "Write a summary to this file (- for standard output)");
  AddModelOptions(*c, *a);
  AddEndpointOptions(*c, *a);
  AddJudgeOptions(*c, *a);
  c->footer(kExamples);
  c->callback([a, c, &exit_code] {
    if (!a->config.empty())
      if (auto s = ApplyConfigFile(*c, a->config); !s.ok()) {
        exit_code = Usage(s.error());
        return;
      }
    exit_code = RunGenerate(*a);
  });
}

static const Command kGenerateCommand{110, AddGenerate};

}  // namespace akgen::cli
