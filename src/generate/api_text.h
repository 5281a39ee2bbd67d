// What a prompt says about the functions of Ascend C: cards in our own words
// (data/generate/cards.toml) that a task needs, and the dtypes that the headers allow.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "task/task.h"

namespace akgen::generate {

struct ApiCard {
  std::vector<std::string> when;  // words of a reference, or categories; empty: always shown
  std::string text;
};
// AK0001 the file is missing, AK0708 it is broken.
base::Result<std::vector<ApiCard>> LoadCards();

// "half, float" -> names of the functions that take these, from the rows and checks of the headers.
std::map<std::string, std::set<std::string>> DtypesFromHeaders();

// Cards for the task, then "dtypes: functions" by line, as the headers that kernels are compiled
// against have them.
base::Result<std::string> ApiText(const task::TaskSpec& task);

}  // namespace akgen::generate
