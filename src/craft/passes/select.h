// Values to vector instructions, inside one compute stage.
#pragma once
#include "craft/passes/lowered.h"

namespace akgen::craft {

class Selector {
 public:
  Selector(LoweredKernel& k, const ir::Stmt& stage) : k_(k), s_(stage) {}
  base::Status Run(StageCode& out);

 private:
  using V = ir::Value;
  // select.cc
  void Group();
  void One(int i);
  void Write(int i);
  Tile TileOf(int value);  // makes it when it is a scalar spread over a tile
  Tile NewTile(const V& v, base::Dtype dtype);
  Tile Dest(int i);  // where value i goes: the buffer it is written to next, or a temporary
  void Emit(const V& shape, std::string text, std::vector<Tile> tiles,
            std::vector<ir::S> scalars = {});
  void EmitRows(const V& shape, std::string text, std::vector<Tile> tiles,
                std::vector<ir::S> scalars = {});
  bool SameShape(int a, const V& v) const;
  bool IsSplat(int a) const { return s_.values[a].op == ir::Op::kSplat; }
  Tile Expand(int a, const V& to);  // as a tile of the whole shape
  Tile Expand(int a, const V& to, base::Dtype dtype);
  void Fail(const V& v, const std::string& what, const std::string& fix);
  // select_arith.cc
  void Unary(int i);
  void Inverse(const V& v, const Tile& d, const Tile& x);
  void Binary(int i);
  void BinaryRows(int i, const std::string& api);
  bool RowForm(int i, const std::string& api);
  void RowForm(const V& v, const std::string& how, const Tile& to, const Tile& full, int small);
  Tile Scratch(
      const V& over);  // what the helpers over rows work in; all the same, so that they share it
  void ScalarLoop(int i);
  void Cast(int i);
  void CastStep(const V& shape, const Tile& to, const Tile& from, const char* mode);
  // select_mask.cc, select_reduce.cc
  Tile Bits(int condition, const V& shape, bool& inverted);
  void Compare(int i);
  void Where(int i);
  void Logic(int i);
  void RowReduce(int i);
  void ColumnReduce(int i);
  void AllReduce(int i);
  void Scan(int i);
  void Running(int i, const Tile& d, bool product);  // of value i's operand
  void Gather(int i);
  void Windows(int i);
  void ColumnInto(Tile dst, const Tile& src, const V& from, const std::string& api);

  LoweredKernel& k_;
  const ir::Stmt& s_;
  std::vector<Tile> tile_;  // of each value
  std::vector<int> last_use_;
  std::vector<Instr> out_;
  base::Status status_;
};

}  // namespace akgen::craft
