// The tensors of one or several validated programs in shared memory, as the runner takes them.
#pragma once
#include <string>
#include <vector>

#include "base/files.h"
#include "craft/interpret/interpret.h"
#include "sim/launch/run_messages.h"

namespace akgen::judge {

// One tensor that the kernel writes: where it lies, and what it should be.
struct WrittenTensor {
  std::string name;
  size_t offset = 0;
  const craft::Tensor* expected = nullptr;
};

struct KernelMemory {
  std::vector<sim::RunRegion> regions;
  std::vector<sim::RunArgument> args;
  std::vector<WrittenTensor> written;
};

// Lays out tensors one after the other; the second pass, with memory, copies them there.
class Arena {
 public:
  KernelMemory Add(const craft::ir::Program& p, const craft::Arguments& args,
                   const craft::Outputs& expected);
  base::Status Allocate();
  const base::SharedMemory& inputs() const { return in_memory_; }
  const base::SharedMemory& outputs() const { return out_memory_; }

 private:
  size_t Place(size_t bytes, bool out);
  size_t in_ = 0, out_ = 0;
  struct Copy {
    bool out;
    size_t offset;
    const std::vector<uint8_t>* bytes;
  };
  std::vector<Copy> copies_;
  base::SharedMemory in_memory_, out_memory_;
};

// Inputs that some kernel of the program stores into.
bool IsStoredInto(const craft::ir::Program& p, const std::string& param);

// {elements, exact, undecided, worst} and the first difference in words, or "".
struct Difference {
  int64_t elements = 0, exact = 0, undecided = 0;
  double worst = 0;
  std::string first;
};
Difference Compare(const WrittenTensor& t, const uint8_t* got);

}  // namespace akgen::judge
