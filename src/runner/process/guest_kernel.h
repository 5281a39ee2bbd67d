// A kernel that is a guest image: runs its blocks for the chip, answers their calls, counts their
// instructions.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "guest/library.h"
#include "guest/machine.h"
#include "runner/process/guest_memory.h"
#include "runner/process/tables.h"
#include "sim/launch/run_request.h"

namespace akgen::runner {

class GuestBlock;
// Answers one call of the chip's interface. False: the guest cannot go on, its machine says why.
using ChipCall = bool (*)(GuestBlock& block);
// nullptr: the interface has no such function.
ChipCall FindChipCall(std::string_view name);

class GuestKernel {
 public:
  // `most_work`: of all blocks of a launch together, in scalar instructions; more is a timeout.
  // What the chip does for the guest counts as instructions that take as long (GuestBlock::Charge).
  static base::Result<std::unique_ptr<GuestKernel>> Load(std::string_view file, int64_t most_work);
  // False: there is no such function.
  bool Choose(const std::string& entry);
  // For sim::RunKernel; refers to this object.
  sim::LoadedKernel Loaded();

  // Of the latest launches, none that was run again among them.
  uint64_t instructions() const { return instructions_; }
  guest::Engine engine() const { return program_.engine(); }
  std::optional<size_t> changed_variable() const { return changed_; }

 private:
  friend class GuestBlock;
  explicit GuestKernel(guest::Image image);
  void RunBlock(void** arguments);
  bool Again();
  void ChooseCores();
  sim::Site Where() const;

  struct Import {
    std::string name;
    ChipCall chip = nullptr;
    guest::LibraryFunction library = nullptr;
    int texts = 0;  // that it reads to their ends
  };
  guest::Image image_;
  guest::Program program_;
  GuestTables tables_;
  GuestMemory memory_;
  std::vector<Import> imports_;
  std::vector<GuestBlock*> blocks_;  // those that run, by block
  uint64_t entry_ = 0, cube_entry_ = 0, instructions_ = 0;
  sim::BlockCores cores_;  // that a block starts
  int64_t left_ = 0, most_ = 0;
  std::optional<int64_t> first_;  // what the launch did that is run again
  size_t running_ = 0;            // blocks that have begun and not ended
  std::optional<size_t> changed_;
};

// One block of it on the chip's running core.
class GuestBlock {
 public:
  explicit GuestBlock(GuestKernel& kernel)
      : kernel_(kernel), machine_(kernel.program_, kernel.memory_) {}
  guest::Machine& machine() { return machine_; }
  GuestMemory& memory() { return kernel_.memory_; }
  void Run(const std::vector<uint64_t>& arguments);
  sim::Site Where() const;
  // Takes the chip's work for the guest, in scalar instructions, from what the launch may do.
  void Charge(uint64_t work) { kernel_.left_ -= int64_t(work); }

  // Of the call that the machine stopped at.
  uint64_t Argument(unsigned n) { return machine_.registers().Argument(n); }
  // A record of the guest's own memory. False: it lies elsewhere.
  template <typename T>
  bool Take(uint64_t address, T* out) {
    const uint8_t* from = machine_.Read(address, sizeof(T));
    if (from) std::memcpy(out, from, sizeof(T));
    return from || machine_.Fail(guest::Fault::Kind::kRead);
  }
  template <typename T>
  bool Give(uint64_t address, const T& value) {
    uint8_t* to = machine_.Write(address, sizeof(T));
    if (to) std::memcpy(to, &value, sizeof(T));
    return to || machine_.Fail(guest::Fault::Kind::kWrite);
  }

 private:
  void Call(uint64_t function, const std::vector<uint64_t>& arguments);
  void Answer();
  void Spent(uint64_t before) { kernel_.left_ -= int64_t(machine_.executed() - before); }
  void PassDivision();
  [[noreturn]] void StopAtFault();
  GuestKernel& kernel_;
  guest::Machine machine_;
};

}  // namespace akgen::runner
