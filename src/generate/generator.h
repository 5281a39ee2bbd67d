// The three ways from a task to a candidate: `direct` (a model writes Ascend C), `craft` (a model
// writes the kernel language, which is lowered here), `plan` (no model, judge/plan_task.h).
#pragma once
#include "craft/ir/target.h"
#include "generate/extract.h"
#include "generate/prompt.h"

namespace akgen::generate {

enum class Way { kDirect, kCraft, kPlan };
// What a model that writes the kernel language is asked with: CraftPrompt, conversation.h, or
// OperationsPrompt.
enum class PromptForm { kFull, kConversation, kOperations };

struct Made {
  Files files;           // the project; empty: there is nothing to judge
  std::string outcome;   // "no_code", "refused" (by the compiler of the kernel language or the
                         // planner), or "" when there are files
  std::string reason;    // one sentence, empty when there are files
  size_t line = 0;       // of the answer, where a bare program is refused; 0: none
  std::string missing;   // the name that this line uses and that was not assigned; may be empty
  std::string feedback;  // the same for a model to read, with all diagnostics
};

base::Result<std::vector<Message>> FirstPrompt(Way way, const task::TaskSpec& task,
                                               const std::vector<task::CaseRow>& cases,
                                               const chip::Chip& chip, bool kernel_only);
// The reference as operations and nothing else (craft/plan/operations_text.h): what a small model
// is trained on. It answers with a bare program under the planner's names. Errors as
// judge::GraphsOfTask.
base::Result<std::vector<Message>> OperationsPrompt(task::ReferenceClient& reference,
                                                    const task::TaskSpec& task);
Made MakeFromProgram(const std::string& answer, const task::TaskSpec& task,
                     const craft::Target& target);
// From what a model said. A program whose host function is called `op` is under the planner's
// names.
Made MakeFrom(Way way, const std::string& answer, const task::TaskSpec& task,
              const craft::Target& target, bool kernel_only);
// From the task alone. Errors of the reference process are errors; a refusal of the planner is
// none.
base::Result<Made> MakeByPlan(task::ReferenceClient& reference, const task::TaskSpec& task,
                              const craft::Target& target);

}  // namespace akgen::generate
