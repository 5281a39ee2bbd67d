// What a run request says to get modelled time.
#pragma once
#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"

namespace akgen::judge {

// The "timing" of sim/launch/run_request.h: the parameters of the chip's family with this chip's clock and L2.
// AK0121: the parameter file is broken.
base::Result<base::Json> TimingRequest(const chip::Chip& chip, uint32_t span_cores);

}  // namespace akgen::judge
