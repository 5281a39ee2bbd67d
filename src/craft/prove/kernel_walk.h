// A launch: what its kernel does, for one core or two that are different. For prove/ only.
#pragma once
#include <optional>

#include "craft/prove/evaluate.h"
#include "craft/prove/lists.h"

namespace akgen::craft::prove {

// A tensor as a launch sees it.
struct TensorSymbol {
  std::string name, memory;  // memory: of which input or output
  std::string like;          // lists: those with the same numbers of elements are like one of them
  Poly elements;             // as kernels count them
  bool is_list = false;
};

struct LaunchSymbols {
  const ir::Kernel& kernel;
  std::vector<TensorSymbol> tensors;     // by tensor parameter
  std::vector<std::string> lists;        // the host's names, by list of integers
  std::map<std::string, Value> scalars;  // by scalar parameter
  Poly cores;
  std::vector<F> facts;  // of the host
  Place place;
  const ir::Program& program;
};

// A loop around a copy.
struct LoopSymbol {
  Poly variable, count, first, last, step;  // count: of tiles()
  bool tiles = false;
  const ir::Stmt* statement = nullptr;
};

struct Access {
  enum Kind { kLoad, kStore, kAdd } kind = kLoad;
  const ir::GmRef* ref = nullptr;
  size_t gm = 0;
  int phase = 0;  // the number of sync_all() before it
  int order = 0;  // in the text
  Poly in_list;   // number of the list's tensor
  std::vector<Poly> dims, start, extent;
  size_t of_view = 0;  // the first ones of these say where a view lies
  Poly offset, rows, cols, stride;
  std::vector<LoopSymbol> loops;      // outermost first
  std::vector<const ir::Stmt*> path;  // loops and conditions around it
  std::vector<F> facts;
  Place place;
};

// Of a list: how many tensors it has, and how many elements one of them.
Poly CountOf(Terms& terms, const TensorSymbol& list);
Poly NumelOf(Terms& terms, const TensorSymbol& list, const Poly& index);

// Walks the kernel once, as the core that `core` stands for.
class KernelWalk : public Evaluator {
 public:
  // Silent: collects accesses alone.
  KernelWalk(const LaunchSymbols& launch, Walked& to, int core, bool silent);
  void Run();
  const std::vector<Access>& accesses() const { return accesses_; }

 protected:
  // The loop's variables, in the environment, and what is known of them.
  virtual LoopSymbol Enter(const ir::Stmt& s, F& facts);
  // The same of blocks(): one symbol for each index and each axis.
  virtual std::vector<LoopSymbol> EnterBlocks(const ir::Stmt& s, F& facts);
  virtual void Branches(const ir::Stmt& s);
  virtual void Move(const ir::Copy& c, bool in);
  virtual void Compute(const ir::Stmt& s);
  void Block(const ir::Block& b);
  const LaunchSymbols& launch_;
  const ir::Kernel& kernel_;
  Poly core_;

 private:
  void Views();
  void One(const ir::Stmt& s);
  void Loop(const ir::Stmt& s);
  void Window(const ir::GmRef& ref, Access& a);
  void Multiply(const ir::Product& p);
  void HandOver(const ir::Handover& h);
  void Extents(const ir::Value& v);
  void Gather(const ir::Stmt& s, const ir::Value& v);
  std::optional<Poly> Pointwise(const ir::Stmt& s, int value, const Poly& column);
  Value Special(const ir::Scalar& s) override;
  size_t GmOf(const std::string& name) const;
  std::string WindowText(const ir::GmRef& ref) const;

  int phase_ = 0, order_ = 0, items_ = 0;
  std::vector<Access> accesses_;
  std::vector<LoopSymbol> loops_;
  std::vector<const ir::Stmt*> path_;
  std::map<int, std::pair<Poly, Poly>> sums_;  // extents in each accumulator
};

// All that is asked of a launch.
void WalkLaunch(const LaunchSymbols& launch, Walked& to);

// An access to a tensor of a list in a loop over them, as it is for the tensor with this number.
Access OfTensor(const LaunchSymbols& launch, Walked& to, int core, const Access& a,
                const Poly& number);

// What two cores do to one memory between two sync_all(), and that stores cover what is theirs
// (races.cc, cover.cc).
void NeedNoRace(const LaunchSymbols& launch, const std::vector<Access>& one,
                const std::vector<Access>& other, int core, int second, Walked& to);
// One core loads nothing that it has stored before a sync_all(). `again`: as `one`, with loop
// variables of their own.
void NeedOrder(const LaunchSymbols& launch, const std::vector<Access>& one,
               const std::vector<Access>& again, Walked& to);
void NeedCover(const LaunchSymbols& launch, const std::vector<Access>& accesses, int core,
               Walked& to);

}  // namespace akgen::craft::prove
