// One case on its way: what it is asked with, and what came of it so far.
#pragma once
#include <string>

#include "judge/host/messages.h"
#include "judge/session/judgement.h"
#include "task/inputs.h"
#include "task/task.h"

namespace akgen::judge {

struct CaseRun {
  const task::CaseDesc& desc;
  const task::TensorSet& inputs;
  CaseResult& result;
  TileReply tiling = {};
  std::string object = {};                    // the kernel's
  const task::TensorSet* expected = nullptr;  // once there are outputs to compare
};

}  // namespace akgen::judge
