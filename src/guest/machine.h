// One guest: registers, its own memory, and a budget of instructions set by its owner.
//
// Nothing a guest does reaches anything but its own memory, except through Outside, which its owner
// implements: data accesses to addresses that are not its own, and (as a Stop) calls of functions
// it does not have. What it executes is counted. Equal images, arguments and answers give equal
// runs, on every machine.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "guest/image.h"
#include "guest/insn.h"
#include "guest/layout.h"
#include "guest/stop.h"

namespace akgen::guest {

class Machine;
class Translation;

class Outside {
 public:
  virtual ~Outside() = default;
  // The memory behind `bytes` bytes at an address that is not the guest's own, for one access;
  // nullptr: there is none.
  virtual uint8_t* Reach(uint64_t address, uint64_t bytes, bool write) = 0;
};

// How instructions are executed. What they do, where they stop and how many there were is the same.
enum class Engine : uint8_t {
  kInterpreter,
  kTranslator,  // what a program executes often enough becomes machine code, where that can be
                // (guest/translation.h)
};
// The translator, unless the environment has AKGEN_GUEST=interpret.
Engine DefaultEngine();

// Decoded once, run by any number of machines, all of one thread.
class Program {
 public:
  // Instructions that are interpreted before translating pays.
  static constexpr int64_t kCold = 100'000;
  explicit Program(const Image& image, Engine engine = DefaultEngine(), int64_t cold = kCold);
  Program(const Program&) = delete;
  ~Program();
  const Image& image() const { return *image_; }
  const Insn* code() const { return code_.data(); }
  size_t size() const { return code_.size() - 1; }
  // What executes it from now on. The interpreter also where the translator was asked for and
  // cannot be had.
  Engine engine() const { return engine_; }

 private:
  friend class Machine;
  Stop Run(State* s, const Insn* at, int64_t fuel);
  // A machine's stack and the room for its variables, all zero.
  uint8_t* TakeMemory();
  void ReturnMemory(uint8_t* memory);
  size_t memory_size() const { return kStackBytes + image_->variables.size(); }
  const Image* image_;
  std::vector<Insn> code_;  // and one behind it that says so
  Engine engine_;
  int64_t cold_;  // what is left of them
  std::unique_ptr<Translation> translation_;
  uint8_t* spare_ = nullptr;  // of a machine that is gone
};

// The registers of a guest, as its calls use them.
class CallRegisters {
 public:
  explicit CallRegisters(State& state) : state_(state) {}
  // 0 to 31: of integers, 32 to 63: of floats.
  uint64_t Get(unsigned n) const { return state_.x[n < 32 ? n : kFloat0 + n % 32]; }
  uint64_t Argument(unsigned n) const { return n < 8 ? state_.x[10 + n] : 0; }
  uint64_t FloatArgument(unsigned n) const {
    return n < 8 ? state_.x[kFloat0 + 10 + n] : 0;
  }  // as the register holds it
  void SetResult(uint64_t bits) { state_.x[10] = bits; }
  void SetFloat(unsigned number, uint64_t bits) { state_.x[kFloat0 + (number & 31)] = bits; }
  void SetFloatResult(uint64_t bits) { state_.x[kFloat0 + 10] = bits; }

 private:
  State& state_;
};

class Machine {
 public:
  // Both must outlive it.
  Machine(Program& program, Outside& outside);
  Machine(const Machine&) = delete;
  ~Machine();

  // Variables as the image has them, an empty stack.
  void Reset();
  // Prepares a call of `function` with 64-bit arguments.
  void Begin(uint64_t function, std::span<const uint64_t> arguments);
  // Executes until something stops it. After kCall the owner has answered with SetResult or
  // SetFloatResult of its registers.
  Stop Run(int64_t fuel);

  uint64_t executed() const { return executed_; }  // instructions since Reset
  // Of a function outside that did as much for the guest as so many instructions.
  void Spend(uint64_t instructions) { executed_ += instructions; }
  const Fault& fault() const { return state_.fault; }
  uint64_t call() const { return state_.call; }  // number of the import

  // What the latest call hands over, and takes back.
  CallRegisters registers() { return CallRegisters(state_); }

  // Bytes of its own memory, or nullptr.
  const uint8_t* Read(uint64_t address, uint64_t bytes) { return state_.Readable(address, bytes); }
  uint8_t* Write(uint64_t address, uint64_t bytes) { return state_.Writable(address, bytes); }
  // Its own or outside: for functions that act on its behalf. nullptr after noting the fault.
  uint8_t* Reach(uint64_t address, uint64_t bytes, bool write);
  // The call it stopped at is a fault of this kind; always false.
  bool Fail(Fault::Kind kind);
  // After a fault of kind kDivision: makes 0 of the division, so that the next Run continues behind
  // it.
  void PassDivision();
  // Text that ends within `most` bytes of its own memory.
  std::optional<std::string> Text(uint64_t address, size_t most);

  // Where it stands: the instruction that stopped it, or the one behind a call, then the return
  // addresses of its callers, as far as frame pointers lead to them.
  size_t Frames(std::span<uint64_t> out) const;
  // Whether a variable differs from what it was at the latest Reset or KeepVariables; the first
  // byte's offset.
  void KeepVariables();
  std::optional<size_t> ChangedVariable() const;

 private:
  Program& program_;
  State state_;
  std::vector<uint8_t> kept_;
  uint64_t executed_ = 0;
};

}  // namespace akgen::guest
