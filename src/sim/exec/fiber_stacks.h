// The stacks that the blocks of a launch run on, one block after the other.
#pragma once
#include <boost/context/protected_fixedsize_stack.hpp>
#include <vector>

namespace akgen::sim {

// A stack that is given back serves the next block: making one, with a page behind it that nobody
// may touch, takes longer than many a block runs.
class FiberStacks {
 public:
  static constexpr size_t kBytes = size_t{1} << 20;
  FiberStacks() = default;
  FiberStacks(const FiberStacks&) = delete;
  ~FiberStacks() {
    for (Stack& stack : free_) maker_.deallocate(stack);
  }
  using Stack = boost::context::stack_context;
  Stack Take() {
    if (free_.empty()) return maker_.allocate();
    const Stack stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void Return(const Stack& stack) { free_.push_back(stack); }

 private:
  boost::context::protected_fixedsize_stack maker_{kBytes};
  std::vector<Stack> free_;
};

}  // namespace akgen::sim
