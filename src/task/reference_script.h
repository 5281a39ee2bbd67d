// Scripts of references as nodes, by content: those of the tasks that are shipped lie beside the
// program (kShippedScripts, made by `akgen-reference --scripts TASKS`), others are kept below
// CacheDir()/scripts.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "record/script.h"

namespace akgen::task {

// {hash of the script: its nodes}
inline constexpr const char* kShippedScripts = "scripts.json";

// The script as nodes where task/evaluate can run it, nothing where not. `ask` gets it from
// akgen-reference when nobody has before; where that fails there is nothing, and it is asked again
// next time.
std::shared_ptr<const record::ScriptBlock> RunnableScript(
    const std::string& script, const std::function<base::Result<record::ScriptBlock>()>& ask);

}  // namespace akgen::task
