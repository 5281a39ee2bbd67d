// Does one job in the process that calls it, which ends afterwards: nothing is freed, and the
// runtime may be broken.
#pragma once
#include "device/job.h"

namespace akgen::device {

// `inputs`, `outputs`: memory of the judge, -1: none.
JobReply Work(const Job& job, int inputs, int outputs);

}  // namespace akgen::device
