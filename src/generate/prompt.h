// Prompts: the task, the chip, the interface, how to answer; and what went wrong with an answer.
#pragma once
#include <string>
#include <vector>

#include "chip/chip.h"
#include "generate/model.h"
#include "judge/judge.h"
#include "task/task.h"

namespace akgen::generate {
struct Trialed;  // generate/judge_pool.h

// Ascend C. `kernel_only`: the host side is given (judge/host/skeleton.h) and shown. AK0001 an
// example cannot be read.
base::Result<std::vector<Message>> DirectPrompt(const task::TaskSpec& task,
                                                const std::vector<task::CaseRow>& cases,
                                                const chip::Chip& chip, bool kernel_only);

// The kernel language. The example is of the task's category where there is one, never the task
// itself.
base::Result<std::vector<Message>> CraftPrompt(const task::TaskSpec& task,
                                               const std::vector<task::CaseRow>& cases,
                                               const chip::Chip& chip);

// The conversation in which an answer is repaired: the first prompt, the answer, and what is wrong
// with it.
std::vector<Message> RepairPrompt(const std::vector<Message>& first, const std::string& answer,
                                  const std::string& feedback);

// What the judge says, for a model to read: verdict, build diagnostics with their lines, the first
// case that failed with its shapes, its findings and where numbers differ. Empty for a pass. No
// value stands in it that the next try is compared with: numbers are those of `again`, and of
// hidden cases nothing but findings.
std::string Feedback(const Trialed& tried, const std::vector<task::CaseRow>& cases);

// What would make a candidate that passes faster: its modelled time, and for its slowest case what
// limits it and what changes would gain. Empty where no time was modelled.
std::string Advice(const judge::Judgement& j, const chip::Chip& chip);
// The conversation in which a right answer is made faster.
std::vector<Message> ImprovePrompt(const std::vector<Message>& first, const std::string& answer,
                                   const std::string& advice);

// Parts of the prompts.
std::string TaskText(const task::TaskSpec& task, const std::vector<task::CaseRow>& cases);
std::string ChipText(const chip::Chip& chip);

}  // namespace akgen::generate
