// A task folder to be completed, out of an operator definition.
#pragma once
#include <map>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace akgen::judge {

// `examined`: what Judge::Examine says of the project. Result: file name → text. The task loads; its reference says
// what is to be written. AK0405: the definition could not be read, or has a dtype that tasks do not.
base::Result<std::map<std::string, std::string>> NewTask(const base::Json& examined);

}  // namespace akgen::judge
