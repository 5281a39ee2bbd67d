// Values to vector instructions, inside one compute stage.
#pragma once
#include "craft/passes/lowered.h"

namespace akgen::craft {

// The instructions of one stage, and the tiles that its values are in.
class StageWriter {
 public:
  using V = ir::Value;
  StageWriter(LoweredKernel& k, const ir::Stmt& stage);
  // The instructions, or the first that cannot be written.
  base::Status Finish(StageCode& out);

  size_t size() const { return s_.values.size(); }
  const V& value(int i) const { return s_.values[i]; }
  Tile& tile(int i) { return tile_[i]; }
  LoweredKernel& kernel() { return k_; }
  bool IsUsedAfter(int value, int i) const { return last_use_[value] > i; }
  bool SameShape(int a, const V& v) const;
  bool IsSplat(int a) const { return s_.values[a].op == ir::Op::kSplat; }

  Tile TileOf(int value);  // makes it when it is a scalar spread over a tile
  Tile NewTile(const V& v, base::Dtype dtype);
  Tile Dest(int i);  // where value i goes: the buffer it is written to next, or a temporary
  Tile Expand(int a, const V& to);  // as a tile of the whole shape
  Tile Expand(int a, const V& to, base::Dtype dtype);

  void Emit(const V& shape, std::string text, std::vector<Tile> tiles,
            std::vector<ir::S> scalars = {});
  void EmitRows(const V& shape, std::string text, std::vector<Tile> tiles,
                std::vector<ir::S> scalars = {});
  Instr& last() { return out_.back(); }
  void CastStep(const V& shape, const Tile& to, const Tile& from, const char* mode);
  // `to` = `full` with a row or a column, over all rows at once.
  void Spread(const V& v, const std::string& how, const Tile& to, const Tile& full, int small);

  bool good() const { return status_.ok(); }
  void Fail(const V& v, const std::string& what, const std::string& fix);

 private:
  LoweredKernel& k_;
  const ir::Stmt& s_;
  std::vector<Tile> tile_;  // of each value
  std::vector<int> last_use_;
  std::vector<Instr> out_;
  base::Status status_;
};

// What the helpers over rows work in; all the same, so that they share it.
Tile Scratch(StageWriter& w, const ir::Value& over);

// Each method of these writes value i.
class ArithmeticSelector {
 public:
  explicit ArithmeticSelector(StageWriter& w) : w_(w) {}
  void Unary(int i);
  void Binary(int i);
  void Cast(int i);

 private:
  using V = ir::Value;
  void Inverse(const V& v, const Tile& d, const Tile& x);
  void BinaryRows(int i, const std::string& api);
  bool RowForm(int i, const std::string& api);
  void ScalarLoop(int i);
  void Divide(int i);

  StageWriter& w_;
};

class MaskSelector {
 public:
  explicit MaskSelector(StageWriter& w) : w_(w) {}
  void Compare(int i);
  void Where(int i);
  void Logic(int i);

 private:
  using V = ir::Value;
  Tile Bits(int condition, const V& shape, bool& inverted);

  StageWriter& w_;
};

class ReductionSelector {
 public:
  explicit ReductionSelector(StageWriter& w) : w_(w) {}
  void RowReduce(int i);
  void ColumnReduce(int i);
  void AllReduce(int i);
  void Scan(int i);
  void Gather(int i);
  void Windows(int i);

 private:
  using V = ir::Value;
  void Running(int i, const Tile& d, bool product);  // of value i's operand
  void WholeReduce(int i);
  void ColumnInto(Tile dst, const Tile& src, const V& from, const std::string& api);

  StageWriter& w_;
};

class Selector {
 public:
  Selector(LoweredKernel& k, const ir::Stmt& stage) : w_(k, stage) {}
  base::Status Run(StageCode& out);

 private:
  using V = ir::Value;
  void One(int i);
  void Write(int i);

  StageWriter w_;
  ArithmeticSelector arithmetic_{w_};
  MaskSelector masks_{w_};
  ReductionSelector reductions_{w_};
};

}  // namespace akgen::craft
