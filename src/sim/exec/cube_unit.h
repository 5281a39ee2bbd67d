// One instruction of the Cube core on its core's memories: checks it, moves or computes, and tells
// the observers.
#pragma once
#include "sim/cube/fixpipe.h"
#include "sim/cube/image.h"
#include "sim/cube/mmad.h"
#include "sim/cube/moves.h"
#include "sim/exec/core.h"

namespace akgen::sim {

void RunCubeInstruction(Core& core, const AkgenCube& c, const IssueState& state);

// What all instructions do with their operands.
class CubeInstruction {
 public:
  CubeInstruction(Core& core, const AkgenCube& c, const IssueState& state, const char* name)
      : core_(core), c_(c), state_(state), name_(name) {}

 protected:
  // The memory that an operand's position says; nullptr: the core has none such, reported.
  Memory* At(uint8_t position, MemoryId id, MemoryId or_id, const char* operand);
  Memory* At(uint8_t position, MemoryId id, const char* operand) {
    return At(position, id, id, operand);
  }
  bool Announce(Memory& m, const void* at, size_t bytes, bool write, uint32_t align = 1);
  void Range(const char* field, uint64_t value, uint64_t least, uint64_t most);
  void Broken(const std::string& rule, bool warning = false);
  void NeedRegister(uint32_t which, const char* set_by);
  uint32_t Bits() const;  // of an element of the source
  void MoveFractal(Memory& from, const uint8_t* src, Memory& to, uint8_t* dst, bool transpose);

  Core& core_;
  const AkgenCube& c_;
  const IssueState& state_;
  const char* name_;
};

// Copies and loads of fractals.
class CubeMoves : public CubeInstruction {
 public:
  using CubeInstruction::CubeInstruction;
  void Nd2Nz();
  void Load2d();
  void LoadSquares();
  void LoadSparse();
  void Fill();
  void ToTable();

 private:
  bool AnnounceColumns(Memory& to, const cube::Nd2Nz& p);
  bool AllThere(const cube::Nd2Nz& p, uint32_t matrix) const;
  void Nd2NzRow(Memory& to, const cube::Nd2Nz& p, uint32_t matrix, uint32_t row, bool all_there);
  void LoadFromGm(Memory& to, const uint8_t* src, uint8_t* dst, size_t bytes);
};

// Parts of an image, as columns.
class CubeImage : public CubeInstruction {
 public:
  using CubeInstruction::CubeInstruction;
  void Load3d();

 private:
  void Check3d(const cube::Load3d& p);
  void LoadImage(const cube::Load3d& p, uint64_t padding, Memory& from, Memory& to);
  void LoadMatrix(const cube::Load3d& p, Memory& from, Memory& to);
};

class CubeMmad : public CubeInstruction {
 public:
  using CubeInstruction::CubeInstruction;
  void Mmad();

 private:
  void SpreadUndefined(const cube::MmadShape& s, cube::Initial start, Memory& a, Memory& b,
                       Memory* bias, Memory& l0c);
  void Sparse(const cube::MmadShape& s, const uint8_t* a, const uint8_t* b,
              std::vector<uint8_t>* dense) const;
};

class CubeFixpipe : public CubeInstruction {
 public:
  using CubeInstruction::CubeInstruction;
  void Fixpipe();

 private:
  struct Out;
  bool CheckFixpipe(const cube::Conversion& how);
  void CheckWords(const std::vector<uint64_t>& words);
  const uint64_t* Words(const cube::Conversion& how, uint32_t n, std::vector<uint64_t>* kept);
  void Store(const Out& out, uint32_t matrix, const uint64_t* words);
  void StoreRow(const Out& out, uint32_t matrix, uint32_t row, const uint64_t* words);
  void StoreRun(const Out& out, const uint8_t* src, uint32_t n, const uint64_t* words,
                uint8_t* dst);
  void StoreGm(const Out& out, const uint8_t* src, uint32_t n, const uint8_t* bytes, uint8_t* dst);
};

}  // namespace akgen::sim
