// The text of a kernel from what it computes; for plan/ only. All throw Unplanned.
#pragma once
#include <string>
#include <vector>

#include "craft/plan/kernel_lines.h"

namespace akgen::craft {

// Lines of all tiles, and those that only late values need: they run after the barrier of all
// cores.
struct KernelPhases {
  std::vector<KernelLine> early, late;
};

bool MentionsWord(const std::string& text, const std::string& word);
// Where an integer output may get a float, the conversion is said; it cuts towards zero.
std::string Narrowed(const KernelLines& k, const KernelOutput& o, const std::string& text);
// A bare number has no extent: it gets this one.
std::string Shaped(const KernelOutput& o, const std::string& rows, const std::string& cols);
// One level deeper.
std::string Deeper(const std::string& text);

// ---- what all cores join ----
// Each core combines a share of the columns, when nothing else that spans a row has a part in what
// follows.
inline constexpr const char* kColumnShare = "align(ceil_div(cols, parts), 64)";
bool SharesColumns(const KernelLines& k, const std::vector<KernelLine>& late);
// Lines made of constants that late ones need once more.
std::vector<KernelLine> ConstantLines(const KernelLines& k, const std::vector<KernelLine>& late);
// Where a sum lies on its way out: the same buffer for all sums of one length.
std::string PartBuffer(const KernelLines& k, size_t part);
// What a core has reduced goes into the workspace, and is taken from there.
std::string StorePartsText(const KernelLines& k);
std::string JoinText(const KernelLines& k, const std::vector<KernelLine>& late);

// ---- lists: a number for each tensor ----
// A core takes a whole tensor; `loads` is what a tile loads.
std::string WholeTensorsText(const KernelLines& k, const KernelPhases& phases,
                             const std::string& loads);
// Every tensor is spread over all cores; parts of it go through the workspace.
std::string SpreadTensorsText(const KernelLines& k, const KernelPhases& phases,
                              const std::string& loads);

// The kernel for rows that do not fit in UB: each row goes through UB in parts, once for every
// reduction that waits for another one, and once more for the outputs.
std::string LongRowsText(const KernelLines& k, const std::string& args,
                         const std::vector<std::string>& scalars);

}  // namespace akgen::craft
