#include "generate/generator.h"

#include "craft/craft.h"
#include "craft/interpret/probe.h"
#include "craft/plan/operations_text.h"
#include "judge/plan_task.h"

namespace akgen::generate {
using base::Result;

namespace {
Made Refused(std::string outcome, std::string reason, std::string feedback, size_t line = 0,
             std::string missing = {}) {
  return {{}, std::move(outcome), std::move(reason), line, std::move(missing), std::move(feedback)};
}

Made Lower(const std::string& program, const craft::Target& target) {
  craft::Compiled compiled = craft::Compile(program, target);
  if (compiled.diagnostics.empty())
    craft::Probe(compiled, program, compiled.diagnostics);  // as `akgen craft lower` does
  if (!compiled.diagnostics.empty()) {
    const craft::Diagnostic& first = compiled.diagnostics.list().front();
    return Refused("refused",
                   first.code + " line " + std::to_string(first.place.line) + ": " + first.message,
                   "The program is refused:\n" + compiled.diagnostics.Render("program.py", program),
                   first.place.line > 0 ? static_cast<size_t>(first.place.line) : 0, first.missing);
  }
  Made out;
  out.files = craft::EmitProject(compiled.lowered);
  out.files["program.py"] = program;
  return out;
}
}  // namespace

Result<std::vector<Message>> FirstPrompt(Way way, const task::TaskSpec& task,
                                         const std::vector<task::CaseRow>& cases,
                                         const chip::Chip& chip, bool kernel_only) {
  if (way == Way::kPlan) return std::vector<Message>{};
  return way == Way::kCraft ? CraftPrompt(task, cases, chip)
                            : DirectPrompt(task, cases, chip, kernel_only);
}

Result<std::vector<Message>> OperationsPrompt(task::ReferenceClient& reference,
                                              const task::TaskSpec& task) {
  auto given = judge::GraphsOfTask(reference, task);
  if (!given.ok()) return given.error();
  return std::vector<Message>{{"user", craft::OperationsText(*given)}};
}

Made MakeFromProgram(const std::string& answer, const task::TaskSpec& task,
                     const craft::Target& target) {
  if (answer.find("@host") == std::string::npos)
    return Refused("no_code", "there is no @host function",
                   "There is nothing to judge: there is no @host function.\n");
  return Lower(judge::WithNames(task, answer), target);
}

Made MakeFrom(Way way, const std::string& answer, const task::TaskSpec& task,
              const craft::Target& target, bool kernel_only) {
  Extracted e =
      way == Way::kCraft ? ExtractProgram(answer) : ExtractProject(answer, task.entry, kernel_only);
  if (e.files.empty())
    return Refused("no_code", e.problem, "There is nothing to judge: " + e.problem + ".\n");
  if (way == Way::kCraft) {
    const std::string& program = e.files["program.py"];
    return Lower(
        program.find("def op(") == std::string::npos ? program : judge::WithNames(task, program),
        target);
  }
  Made out;
  out.files = std::move(e.files);
  return out;
}

Result<Made> MakeByPlan(task::ReferenceClient& reference, const task::TaskSpec& task,
                        const craft::Target& target) {
  auto program = judge::PlanTask(reference, task, target);
  if (program.ok()) return Lower(*program, target);
  const base::Error& why = program.error().error;
  if (why.code != "AK1540" && why.code != "AK0115") return why;
  return Refused("refused", why.message, why.message);
}

}  // namespace akgen::generate
