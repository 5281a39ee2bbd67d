// A profile for a terminal.
#pragma once
#include <string>

#include "judge/time/launch_profile.h"

namespace akgen::cli {

// `width`: columns; sources are cut to it.
std::string ProfileText(const judge::LaunchProfile& profile, const record::LaunchTime& time,
                        const chip::Chip& chip, size_t width);
std::string ChangesText(const judge::LaunchProfile& profile, const record::LaunchTime& time,
                        const judge::EarlierProfile& before, size_t width);

}  // namespace akgen::cli
