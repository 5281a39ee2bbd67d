// Programs as loop nests, for graphs whose values do not all lie over rows and columns: views,
// slices, reductions along any dimensions, values that know their position. For plan/ only.
//
// Every dimension of every value is a run of axes; operations make the axes of their operands equal
// and cut them where a reshape demands it. A program is a sequence of segments: each walks some
// axes with its cores (jobs), its reductions walk the others inside the job, and results that a
// later segment needs go through a workspace.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {

using Run = std::vector<int>;  // axes, outermost first

class Axes {
 public:
  int New(int64_t extent, bool kept = false);  // kept: an axis even where its extent is 1
  int64_t extent(int a) const { return extent_[a]; }
  Run Resolve(const Run& r) const;
  // Makes two runs the same axes, cutting the larger ones. Throws Unplanned.
  void Unify(const Run& a, const Run& b);
  int size() const { return static_cast<int>(extent_.size()); }

 private:
  std::vector<int64_t> extent_;
  std::vector<bool> kept_;
  std::vector<Run> into_;  // empty: the axis itself
};

// How a view walks one axis of its input.
struct AxisRole {
  bool fixed = false;
  std::string index;  // fixed: where
  int walk = -1;      // not fixed: start + i * step of this axis
  std::string start, step;
  int tap = -1;  // of a window: start + i * step + j * tap_step, j of this axis
  std::string tap_step;
  std::string by;  // not fixed: the element of this input that the axes `places` point to
  Run places;
};

struct NestNode {
  enum Kind { kLeaf, kScalar, kIndex, kElement, kReduce } kind = kElement;
  std::string text;  // kScalar: the number; kElement: with operands as @0@, @1@; kReduce: sum, max,
                     // min, argmax, argmin
  std::vector<int> args;
  std::vector<Run> dims;          // kIndex: one, the axes it counts
  std::string input;              // kLeaf
  std::map<int, AxisRole> roles;  // kLeaf: of those axes of the input that are not simply walked
  std::string whole;              // kReduce: the dtype of integers; empty: f32
  std::string label;  // what its names in the kernel end in: 3 for the graph's v3, 3a for a step on
                      // the way there, _x0 for an input
};

// A value of the graph: a node seen with these dimensions. A joined one has parts along an axis of
// its own.
struct NestValue {
  int node = -1;
  std::vector<Run> dims;
  std::vector<int> parts;  // nodes
  int part_axis = -1;
  int imaginary = -1;  // complex values: the other node
  bool pair = false;   // the parts are those of complex numbers
  // Parts of different size: `part_axis` is all of them, each walks its own run and begins at its
  // own place.
  std::vector<Run> part_runs;
  std::vector<std::string> starts;
};

// An extent as the host finds it; its value in a case is that of a dimension of a value of the
// graph.
struct Derived {
  std::string text, value;
  size_t dim = 0;
};

// Of an input's dimensions those before, at and behind the one that an element of another input
// names.
struct Split {
  std::string input, dim;  // the element
  int part = 0;
};

struct NestGraph {
  // Nodes that an output depends on.
  std::vector<bool> Needed() const;
  // The reductions a node reads, not looking through them.
  void Reductions(int n, std::set<int>& out) const;
  // What makes an output, or this part of it; -1: it has no parts.
  int NodeOf(size_t output, int part) const;

  Axes axes;
  std::set<int> constants;  // axes whose extent the graph says
  std::vector<NestNode> nodes;
  std::map<std::string, std::vector<Run>> inputs;  // dimensions of the inputs
  std::vector<NestValue> outputs;
  std::map<std::string, std::string>
      numbers;                  // what the kernel is given: its name for it, and the host's text
  std::set<std::string> items;  // inputs whose elements are read as numbers
  std::vector<std::string> requires_;                 // what the host has to make sure of
  std::vector<std::pair<std::string, Split>> splits;  // extents (marked) that the kernel computes
  std::map<int, Derived> derived;                     // extents of parts, by axis
};

// In texts, the extent of a run of axes stands as \x01a,b\x02 until the axes have their names.
std::string ExtentMark(const Run& r);

NestGraph ReadNest(const PlanTask& task, const PlanCase& c);

// The kernel's text, and the axes it names e0, e1, … with their extents in this case.
struct NestText {
  std::string body;
  std::vector<std::string> tensors, scalars;  // arguments; scalars after the extents
  std::vector<int64_t> extents;
  std::vector<bool> constant;          // extents that are the same for every shape
  std::vector<std::string> requires_;  // conditions for the host
  struct Room {
    std::string name, size, dtype;
  };
  std::vector<Room> workspaces;
  std::map<std::string, std::string> views;  // tensors that are passed once more: which
  std::vector<std::string> output_shape;     // a list of extents for each output
  std::string longest;                       // what a tile may have
  std::vector<std::pair<std::string, std::string>>
      sizes;            // extents of tiles with several rows, by `tile`; empty: there are none
  std::set<int> lanes;  // axes that tiles walk
  std::map<int, Split> runtime_extents;     // axes whose extent the kernel computes
  std::map<int, Derived> derived;           // and those that the host is told how to find
  std::vector<std::vector<Run>> node_dims;  // by node, in axes e0, e1, …
  std::map<std::string, Run> inputs;        // the same by input
};
// A kernel whose names end in nodes' numbers, with their labels instead: a reader finds the graph's
// values again.
std::string Labelled(const std::string& body, const NestGraph& graph);
// `rows`: tiles may have several rows.
NestText WriteNest(const PlanTask& task, const NestGraph& graph, size_t column, bool rows);

// `rows`: tiles may have several rows. That makes the faster programs. `meant`: the cases that
// tiles are to be good for; empty: all.
PlanResult<std::string> PlanNest(const PlanTask& task, bool rows,
                                 const std::set<size_t>& meant = {});

}  // namespace akgen::craft
