// What the buffers of a kernel hold, as its statements are checked one after the other.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>

#include "craft/check/scope.h"

namespace akgen::craft {

class TileContents {
 public:
  struct Extent {
    ir::S rows, cols;
  };

  TileContents(ScalarChecker& scalars, const ir::Kernel& k) : scalars_(scalars), k_(k) {}

  // What was last loaded or written; null: nothing is there.
  const Extent* Find(int buffer) const;
  void Write(int buffer, Extent extent) { extents_[buffer] = std::move(extent); }
  // Lasts as long as the block that is being checked.
  void Load(int buffer, Extent extent);
  // A mistake in a load leaves open what was to be loaded.
  void LoseLoad() { lost_load_ = true; }
  // Says that nothing is in a buffer, or that what was there has ended.
  void SayNothingIn(int buffer, Place place, const std::string& what, const std::string& fix);

  // Runs `check` on a block: what it loads ends with it.
  template <typename F>
  void Within(F check) {
    std::set<int> outer;
    std::swap(loaded_, outer);
    check();
    for (int buffer : loaded_)
      End(buffer, "what was loaded into it ends with the loop or condition it was loaded in");
    loaded_ = outer;
    EndUnknown();
  }
  // A tile whose extent is said in a name ends with that name: nothing could say how much of it
  // there is.
  void EndUnknown();

 private:
  void End(int buffer, const std::string& why);

  ScalarChecker& scalars_;
  const ir::Kernel& k_;
  std::map<int, Extent> extents_;
  std::map<int, std::string> ended_;  // buffers that held something, and why they do not any more
  std::set<int> loaded_;              // buffers loaded in the block that is being checked
  bool lost_load_ = false;
};

}  // namespace akgen::craft
