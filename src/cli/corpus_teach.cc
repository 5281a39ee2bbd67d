// `akgen corpus build --docs, --code`: parts of a corpus from folders of the user and a teacher
// model.
#include <fmt/core.h>

#include <atomic>

#include "cli/corpus.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"

namespace akgen::cli {
namespace {
int TeachFailed(const base::Error& e) {
  PrintError(e);
  return e.code == "AK0801" || e.code == "AK0705" || e.code == "AK0708" ? kUsage : kFault;
}

using Build = base::Result<corpus::Taught> (*)(const std::filesystem::path&,
                                               const corpus::TeachOptions&);

int RunPart(TeachArgs& a, const std::string& out, const char* name,
            const std::vector<std::string>& folders, Build build, bool quiet) {
  if (folders.empty()) return kOk;
  Progress bar;
  a.options.folders = folders;
  a.options.progress = [&](uint64_t done, uint64_t all, const std::string& what) {
    bar.Show(done, all, 0, what);
  };
  auto made = build(out, a.options);
  bar.End();
  if (!made.ok()) return TeachFailed(made.error());
  if (!quiet) {
    fmt::print(
        "{}: {} files, {} not read, {} questions, {} records, {} objected to, {} answers unusable, "
        "{} duplicates\n",
        name, made->read.files, made->read.refused.size(), made->questions, made->records,
        made->objected, made->answers_unusable, made->duplicates_removed);
    if (made->left)
      fmt::print("{} questions are left; the same command asks them again\n", made->left);
  }
  return made->left ? kFault : kOk;
}
}  // namespace

void AddTeachOptions(CLI::App& c, const std::shared_ptr<TeachArgs>& a) {
  const char* group = "Teacher";
  c.add_option("--docs", a->docs,
               "Folders with Markdown, HTML or text that you may use: questions, reasoning and "
               "answers by the teacher")
      ->check(CLI::ExistingDirectory)
      ->group(group);
  c.add_option("--code", a->code,
               "Folders with kernels and operator projects that you may use: facts from their "
               "sources, the chip's "
               "verdict, an explanation by the teacher")
      ->check(CLI::ExistingDirectory)
      ->group(group);
  c.add_flag("--own", a->options.own, "These folders are yours: their records may be distributed")
      ->group(group);
  c.add_option("--model", a->model.url,
               "The teacher: an OpenAI-compatible endpoint with /v1 at its end, or script:FILE")
      ->group(group);
  c.add_option("--model-name", a->model.name, "The endpoint's name of the model")
      ->capture_default_str()
      ->group(group);
  c.add_option("--temperature", a->model.temperature, "Sampling temperature")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--max-tokens", a->model.max_tokens,
               "Maximum tokens per completion; 0: the endpoint's limit")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--retries", a->model.retries, "Retries of a failed request")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--concurrency", a->options.concurrency, "Concurrent requests")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(group);
  c.add_flag("--no-cache", a->no_cache, "Ignore cached answers to the same request and seed")
      ->group(group);
}

int RunTeach(TeachArgs& a, const std::string& out, bool quiet) {
  if (a.docs.empty() && a.code.empty()) return kOk;
  if (a.model.url.empty())
    return TeachFailed({"AK0708", "there is no teacher", "",
                        "--model http://127.0.0.1:8000/v1, or --model script:answers.jsonl"});
  a.model.cache = !a.no_cache;
  auto teacher = generate::MakeModel(a.model, CatchStop());
  if (!teacher.ok()) return TeachFailed(teacher.error());
  a.options.teacher = teacher->get();
  a.options.teacher_name = a.model.url.starts_with("script:") ? "script" : a.model.name;
  if (int rc = RunPart(a, out, "documentation", a.docs, corpus::BuildDocumentation, quiet))
    return rc;
  return RunPart(a, out, "code", a.code, corpus::BuildCode, quiet);
}

}  // namespace akgen::cli
