// Values over axes to the text of one kernel; for plan/ only.
#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include "craft/plan/nest_tiles.h"

namespace akgen::craft {
class NestWriter : NestTiles {
 public:
  NestWriter(const PlanTask& t, const NestGraph& g, size_t column, bool rows)
      : NestTiles(g, rows), task_(t), column_(column) {}

  NestText Run();

 private:
  // ---- text ----
  std::string Offset(const craft::Run& r) const { return Linear(r, Plain(r), 0, r.size()); }
  // Numbers stand where they are used; positions and single elements are named before the stage.
  std::string Name(int n) const;

  // Nodes to compute for `targets`, in order, up to reductions that are done.
  std::vector<int> Lines(const std::vector<int>& targets, const std::set<int>& done) const;

  struct Stage {
    std::string lets, loads, compute;
    std::map<int, Extent2> spans;  // of nodes whose values differ within a tile
    std::map<std::string, std::string>
        pairs;  // buffers of elements that lie in pairs, by input and place
    Extent2 Of(int n) const { return spans.count(n) ? spans.at(n) : Extent2{}; }
  };
  // What it takes to have `targets` at this place; `in` is the depth.
  Stage Prepare(const std::vector<int>& targets, const std::set<int>& here, const std::string& in);
  Extent2 Of(const craft::Run& r) const {
    return {row_ != kNone && Has(r, row_), lane_ != kNone && Has(r, lane_)};
  }
  // A buffer of this group of sizes; `name` says what is in it.
  std::string Buffer(const std::string& name, Extent2 of, const std::string& dtype);
  std::string Own(const std::string& name) const {
    return group_ ? fmt::format("{}_g{}", name, group_) : name;
  }
  void Leaf(int n, Stage& s, const std::string& in);
  // Both elements are loaded as they lie, once.
  void OneOfPairs(int n, std::vector<Walk> walks, Stage& s, const std::string& in);
  void LoadStored(int r, Stage& s, const std::string& in);
  void Index(int n, Stage& s, const std::string& in);
  void Workspace(int r) { workspaces_.insert(r); }

  std::string Stages(const Stage& s, const std::string& in) const;

  void Body();
  // Complex tensors are seen as their parts, in f32.
  bool Complex(const std::vector<base::Dtype>& dtypes) const {
    return dtypes.at(column_) == base::Dtype::kComplex64;
  }
  const std::vector<base::Dtype>& ParamDtypes(const std::string& id) const;
  void Longest();

  // Elements that lie apart are brought side by side, or back: a column of single elements at a
  // time.
  std::string Move(const std::string& id, const craft::Run& run,
                   const std::function<std::string(const std::string&)>& inner);
  std::string Pack(int n);
  std::string Scatter(size_t o, int p);

  // The axis that makes for the fewest turns and lies in every tensor such that tiles can be loaded
  // and stored.
  void ChooseRows(int which);
  std::string SegmentText(int which);
  // What of a tile there is where these axes are walked.
  Extent2 Walked(const Set& axes) const;

  int Level(int r, const Segment& s) const;
  std::string Phases(const Segment& s, const std::string& in, std::set<int>& here);
  std::string StartOf(int r, const std::string& in);
  // The buffer that a reduction's result is in.
  std::string Result(int r) const { return Own(fmt::format("r{}", r)); }
  // Over the lane, over the rows of a tile or over both; `tile`: what of a tile there is here.
  std::string Accumulate(int r, Extent2 tile, const Stage& stage, const std::string& in) const;

  // Whether a segment reads what those from `since` on, of all cores, made; or may overwrite what
  // they read.
  bool Waits(int s, int since) const;

  std::string Outputs(const Segment& s, const std::string& in, const std::set<int>& here);
  std::string Store(const std::vector<std::pair<size_t, int>>& outputs, Extent2 of,
                    const std::set<int>& here, const std::string& in);
  // Whether an output's parts lie in pairs along the lane and are made in the same place.
  bool BothOfPairs(size_t o, int p, Extent2 of,
                   const std::vector<std::pair<size_t, int>>& outputs) const;
  // Both parts beside each other again.
  std::string StorePairs(size_t o, const std::string& first, const std::string& second,
                         Stage& stage, const std::string& in);
  // Where an integer output may get a float, the conversion is said; it cuts towards zero.
  std::string Converted(size_t o, const std::string& v, const std::string& tensor) const;
  // An output in an input's memory: nobody may read the input after it was overwritten.
  void CheckInplace() const;

  const PlanTask& task_;
  size_t column_;
  std::set<int> stored_, workspaces_, packed_;
  int apart_ = 512;  // elements that lie apart are brought together so many at a time
  std::set<std::pair<size_t, int>> scattered_;
  std::set<std::string> buffers_;
};

}  // namespace akgen::craft
