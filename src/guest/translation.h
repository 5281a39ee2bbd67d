// A program's code translated to the machine code of this processor, block by block, when control
// first gets there.
//
// Translated code holds guest registers in registers and the guest's own stack and variables at
// their place. All else (what lies outside, calls, faults, instructions that are not worth a
// translation, the end of the fuel) it leaves to its owner: it writes its registers back and
// returns. So it calls nothing, and nothing that jumps or switches stacks ever finds its frames.
#pragma once
#include <memory>
#include <vector>

#include "guest/code_memory.h"
#include "guest/decode.h"

namespace akgen::guest {

class Program;

// Why translated code returned, with State::left_at and State::left_for.
enum class Exit : uint8_t {
  kStep,    // an instruction is to be executed: left_at is the number of its site
  kAbsent,  // the instruction left_at has no translation yet
  kFuel,    // the fuel ended in front of the instruction left_at
  kJump,  // the instruction left_at jumps to the address left_for, which is no code, or has no fuel
          // to do so
};

class Translation {
 public:
  // nullptr: code is not translated for this processor, the program is too large, or the system
  // gives no memory for it.
  static std::unique_ptr<Translation> Make(const Program& program);
  // As handlers do; continues at `at`.
  Stop Run(State* s, const Insn* at, int64_t fuel);

 private:
  friend class BlockTranslator;
  // A place where code asks for a step, and goes on behind it. `before`: instructions executed
  // since the fuel was counted last.
  struct Site {
    Step step;
    const Insn* at;
    const uint8_t* resume;
    uint32_t before;
  };
  explicit Translation(const Program& program) : program_(program) {}
  void WriteEntries();
  const uint8_t* Find(size_t slot);

  // An instruction's place in the table, where its translation begins, and where that was written.
  uint8_t* Entry(size_t slot) const { return memory_->table() + slot * sizeof(uint64_t); }
  const uint8_t* Begin(size_t slot) const;
  bool Has(size_t slot) const { return Begin(slot) != absent_; }
  const uint8_t* Written(size_t slot) const { return memory_->Written(Begin(slot)); }

  const Program& program_;
  std::unique_ptr<CodeMemory> memory_;
  uint8_t* free_ = nullptr;  // where the next block is written
  // Code that all blocks share: the way in, where they are written the ways back, and one of these
  // where it is executed.
  const uint8_t *enter_ = nullptr, *leave_[4] = {}, *absent_ = nullptr;
  std::vector<Site> sites_;
  // Of the block that is being translated: what stands behind its usual way.
  struct Late {
    uint8_t* jump;
    size_t number;      // of the site; of the instruction that a branch goes to
    uint32_t executed;  // of a branch; 0: a site
  };
  std::vector<Late> late_;
};

}  // namespace akgen::guest
