// What buffers hold.
#include "craft/check/tile_contents.h"

#include <fmt/format.h>

#include <vector>

namespace akgen::craft {

const TileContents::Extent* TileContents::Find(int buffer) const {
  auto it = extents_.find(buffer);
  return it == extents_.end() ? nullptr : &it->second;
}

void TileContents::Load(int buffer, Extent extent) {
  Write(buffer, std::move(extent));
  loaded_.insert(buffer);
}

void TileContents::End(int buffer, const std::string& why) {
  extents_.erase(buffer);
  ended_[buffer] = why;
}

void TileContents::EndUnknown() {
  std::set<std::string> known;
  for (const auto& [name, value] : scalars_.Scalars()) ir::Variables(value, known);
  std::vector<std::pair<int, std::string>> ending;
  for (const auto& [buffer, extent] : extents_) {
    std::set<std::string> used;
    ir::Variables(extent.rows, used);
    ir::Variables(extent.cols, used);
    for (const std::string& name : used)
      if (!known.count(name)) ending.push_back({buffer, name});
  }
  for (const auto& [buffer, name] : ending)
    End(buffer, fmt::format("its extent is said in '{}', which is not known here", name));
}

void TileContents::SayNothingIn(int buffer, Place place, const std::string& what,
                                const std::string& fix) {
  const std::string& name = k_.buffers[static_cast<size_t>(buffer)].name;
  auto ended = ended_.find(buffer);
  if (scalars_.Broken(name) || (ended == ended_.end() && lost_load_))
    return void(scalars_.SaidOf(name));
  if (ended == ended_.end())
    return scalars_.Error("AK1513", place, fmt::format("{} is {}", name, what), fix);
  scalars_.Error("AK1513", place, fmt::format("{} is used too late: {}", name, ended->second),
                 "use it there, or write what is needed later to a buffer made for that");
}

}  // namespace akgen::craft
