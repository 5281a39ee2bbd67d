// Prompts for models that were never trained on the kernel language: the language in half the words
// as the system message, two tasks of the category with their programs as questions and answers,
// then the task. What is the same for all tasks comes first, what is the same for a category next:
// servers keep both.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "generate/model.h"
#include "task/task.h"

namespace akgen::generate {

// AK0001: data/generate is incomplete.
base::Result<std::vector<Message>> ConversationPrompt(const task::TaskSpec& task,
                                                      const std::vector<task::CaseRow>& cases);

// A task as such a question: description, PyTorch, the host function's signature and outputs,
// shapes it is called with. AK0102 a case is malformed.
base::Result<std::string> QuestionText(const task::TaskSpec& task,
                                       const std::vector<task::CaseRow>& cases);

// The host function with every dtype that the cases have, its outputs, and nothing between.
std::string HostSignature(const task::TaskSpec& task, const std::vector<task::CaseDesc>& cases);

// Two tasks with their programs (program.py) of data/generate/pairs, the nearest to the task's
// category last: operators of no benchmark.
std::vector<std::filesystem::path> PairFolders(const task::TaskSpec& task);

}  // namespace akgen::generate
