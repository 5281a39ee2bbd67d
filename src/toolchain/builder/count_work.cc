#include "toolchain/builder/count_work.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "toolchain/builder/make_defined.h"
#include "toolchain/builder/scalar_price.h"

namespace akgen::toolchain {
namespace {
constexpr size_t kMaxInstructions = 10'000,
                 kMaxInAll = 50'000;  // of a function with all that it calls, of them all
// A function that is left where it is keeps the objects that it is given in memory, those of all
// other calls too. So small ones, which any compiler puts where they are called, have more room.
constexpr size_t kSmall = 100, kMaxWithSmall = 500'000, kMaxSmallInAll = 1'000'000;
constexpr size_t kMaxWritten = 50'000;  // of a function by itself
constexpr size_t kDeepest = 64;         // functions calling functions

bool IsCallOf(const llvm::Instruction& i, const llvm::Function* callee) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  return call && call->getCalledFunction() == callee;
}

void DropPatterns(llvm::Function& f) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f)))
    if (IsPattern(i)) i.eraseFromParent();
}

// A copy of the module's own functions that is brought into canonical form.
class Canonical {
 public:
  Canonical(const llvm::Module& module, llvm::Function* mark) {
    llvm::ValueToValueMapTy map;
    copy_ = llvm::CloneModule(module, map, [](const llvm::GlobalValue* v) {
      auto* f = llvm::dyn_cast<llvm::Function>(v);
      return f ? IsOwn(*f) : llvm::isa<llvm::GlobalVariable>(v);
    });
    mark_ = llvm::cast<llvm::Function>(map[mark]);
    unmarked_ = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(copy_->getContext()), false),
        llvm::GlobalValue::ExternalLinkage, "akgen_unmarked", *copy_);
    llvm::StripDebugInfo(*copy_);
    for (llvm::Function& f : *copy_) DropPatterns(f), Describe(f);
    for (llvm::Function& f : *copy_)
      if (IsOwn(f)) Define(f);
    for (llvm::Function& f : *copy_)
      if (IsOwn(f)) Expand(f, 0);
    Drop();
  }

  // By number of its mark: what the stretch behind it costs, the dearest of the places to which its
  // function was put.
  std::map<uint64_t, Work> Count();

 private:
  // Functions that are not seen touch what they are given and the chip, and come back.
  void Describe(llvm::Function& f) {
    f.removeFnAttr(llvm::Attribute::OptimizeNone);
    f.removeFnAttr(llvm::Attribute::NoInline);
    f.setDoesNotThrow();
    if (f.isIntrinsic() || IsOwn(f)) return;
    f.setWillReturn();
    if (&f == mark_ || &f == unmarked_)
      return f.setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    f.setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
#if LLVM_VERSION_MAJOR < 21
    for (llvm::Argument& a : f.args())
      if (a.getType()->isPointerTy()) a.addAttr(llvm::Attribute::NoCapture);
#endif
  }

  void Define(llvm::Function& f) {
    const size_t before = f.getInstructionCount();
    MakeDefined(f, unmarked_);
    added_[&f] = f.getInstructionCount() - std::min<size_t>(before, f.getInstructionCount());
  }
  // In instructions of the kernel's own.
  size_t SizeOf(const llvm::Function& f) {
    const size_t all = f.getInstructionCount();
    return all - std::min(all, added_[&f]);
  }

  // Puts the functions that `f` calls where it calls them.
  void Expand(llvm::Function& f, size_t depth) {
    if (depth > kDeepest || done_.contains(&f) || !open_.insert(&f).second) return;
    std::vector<llvm::CallBase*> calls;
    for (llvm::Instruction& i : llvm::instructions(f))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
        if (const llvm::Function* callee = call->getCalledFunction(); callee && IsOwn(*callee))
          calls.push_back(call);
    size_t size = SizeOf(f);
    for (llvm::CallBase* call : calls) {
      llvm::Function* callee = call->getCalledFunction();
      Expand(*callee, depth + 1);
      const size_t more = SizeOf(*callee);
      const bool small = more <= kSmall;
      if (!done_.contains(callee) || size + more > kMaxWithSmall) continue;
      if (small ? small_in_all_ + more > kMaxSmallInAll
                : size + more - small_[&f] - small_[callee] > kMaxInstructions ||
                      in_all_ + more > kMaxInAll)
        continue;
      llvm::InlineFunctionInfo info;
      if (!llvm::InlineFunction(*call, info).isSuccess()) continue;
      size += more, added_[&f] += added_[callee];
      (small ? small_in_all_ : in_all_) += more;
      small_[&f] += small ? more : small_[callee];
    }
    open_.erase(&f);
    done_.insert(&f);
  }

  // Functions that are nowhere called any more.
  void Drop() {
    for (bool again = true; std::exchange(again, false);)
      for (llvm::Function& f : llvm::make_early_inc_range(*copy_)) {
        f.removeDeadConstantUsers();
        if (!IsOwn(f) || !f.use_empty() || !f.isDiscardableIfUnused()) continue;
        f.eraseFromParent();
        again = true;
      }
  }

  void CountIn(llvm::Function& f, llvm::FunctionAnalysisManager& analyses,
               std::map<uint64_t, Work>& all);

  std::unique_ptr<llvm::Module> copy_;
  llvm::Function *mark_, *unmarked_;
  std::set<const llvm::Function*> open_, done_;
  std::map<const llvm::Function*, size_t> added_;  // instructions of MakeDefined
  std::map<const llvm::Function*, size_t>
      small_;  // instructions of small functions that were put into it
  size_t in_all_ = 0, small_in_all_ = 0;
};

llvm::FunctionPassManager Simplifications() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::PromotePass());
  passes.addPass(ReadsOutsidePass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

std::map<uint64_t, Work> Canonical::Count() {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager groups;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(groups);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, groups, modules);
  llvm::FunctionPassManager simplify = Simplifications();
  std::map<uint64_t, Work> all;
  for (llvm::Function& f : *copy_) {
    if (!IsOwn(f) || SizeOf(f) > kMaxWritten + small_[&f]) continue;
    functions.invalidate(f, simplify.run(f, functions));
    CountIn(f, functions, all);
  }
  return all;
}

// Work belongs to the mark before it. Where simplifying made a block without one: to a mark of the
// same loop, if there is one that is met on every way to the block to that.
void Canonical::CountIn(llvm::Function& f, llvm::FunctionAnalysisManager& analyses,
                        std::map<uint64_t, Work>& all) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(f);
  auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(f);
  Pricer pricer(copy_->getDataLayout(), &loops,
                &analyses.getResult<llvm::ScalarEvolutionAnalysis>(f));
  auto is_mark = [&](llvm::Instruction& i) {
    return IsCallOf(i, mark_) ? llvm::cast<llvm::CallInst>(&i) : nullptr;
  };
  std::map<const llvm::BasicBlock*, std::pair<llvm::CallInst*, llvm::CallInst*>>
      marks;  // first and last of a block
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* mark = is_mark(i)) {
      auto& [first, last] = marks[i.getParent()];
      first = first ? first : mark;
      last = mark;
    }
  auto nearest = [&](llvm::BasicBlock& block) -> llvm::CallInst* {
    if (auto own = marks.find(&block); own != marks.end()) return own->second.first;
    if (!tree.isReachableFromEntry(&block)) return nullptr;
    llvm::Loop* loop = loops.getLoopFor(&block);
    for (auto* node = tree.getNode(&block)->getIDom(); node; node = node->getIDom())
      if (auto at = marks.find(node->getBlock());
          at != marks.end() && loops.getLoopFor(node->getBlock()) == loop)
        return at->second.second;
    for (llvm::BasicBlock* other : loop ? loop->getBlocks() : llvm::ArrayRef<llvm::BasicBlock*>())
      if (auto at = marks.find(other); at != marks.end() && loops.getLoopFor(other) == loop)
        return at->second.first;
    return nullptr;
  };
  std::map<llvm::CallInst*, Work> found;
  for (llvm::BasicBlock& block : f) {
    llvm::CallInst* mark = nearest(block);
    for (llvm::Instruction& i : block) {
      if (auto* next = is_mark(i))
        mark = next, found[mark];
      else if (IsCallOf(i, unmarked_))
        mark = nullptr;
      else if (mark)
        found[mark] += pricer.Of(i);
    }
    if (mark) found[mark] += pricer.Spilled(block);
  }
  for (const auto& [mark, work] : found) {
    const uint64_t number = llvm::cast<llvm::ConstantInt>(mark->getArgOperand(0))->getZExtValue();
    Work& most = all.try_emplace(number, work).first->second;
    most = most.Most(work);
  }
}

struct CountWorkPass : llvm::PassInfoMixin<CountWorkPass> {
  explicit CountWorkPass(guest::Ready header) : header(std::move(header)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
  guest::Ready header;
};

// A mark where a stretch begins: blocks, and behind calls, each of which may reach the chip.
std::vector<llvm::CallInst*> Mark(llvm::Module& module, llvm::Function* mark) {
  std::vector<llvm::CallInst*> marks;
  auto put = [&](llvm::Instruction* before) {
    auto* number =
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()), marks.size());
    marks.push_back(llvm::CallInst::Create(mark, {number}, "", before->getIterator()));
    marks.back()->setDebugLoc(before->getDebugLoc());
  };
  for (llvm::Function& f : module) {
    if (!IsOwn(f)) continue;
    std::vector<llvm::Instruction*> places;
    for (llvm::BasicBlock& block : f) {
      if (auto first = block.getFirstInsertionPt(); first != block.end()) {
        while (llvm::isa<llvm::AllocaInst>(*first)) ++first;
        places.push_back(&*first);
      }
      for (llvm::Instruction& i : block)
        if (llvm::isa<llvm::CallInst>(i) && !llvm::isa<llvm::IntrinsicInst>(i))
          places.push_back(i.getNextNode());
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (llvm::Instruction* place : places) put(place);
  }
  return marks;
}

// Copies and fills: by their bytes, as many as there are when they are made.
void AddBytes(llvm::Module& module, llvm::FunctionCallee work) {
  auto* word = llvm::Type::getInt64Ty(module.getContext());
  auto* none = llvm::ConstantInt::get(word, 0);
  std::vector<std::pair<llvm::CallBase*, llvm::Value*>> found;
  for (llvm::Function& f : module) {
    if (!IsOwn(f)) continue;
    for (llvm::Instruction& i : llvm::instructions(f)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      const int at = callee ? BytesAt(callee->getName()) : -1;
      if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
        if (!llvm::isa<llvm::ConstantInt>(memory->getLength()))
          found.emplace_back(call, memory->getLength());
      } else if (at >= 0 && call->arg_size() > unsigned(at) &&
                 call->getArgOperand(unsigned(at))->getType()->isIntegerTy()) {
        found.emplace_back(call, call->getArgOperand(unsigned(at)));
      }
    }
  }
  for (auto& [call, bytes] : found) {
    llvm::IRBuilder<> before(call);
    llvm::Value* words = before.CreateLShr(
        before.CreateAdd(before.CreateZExtOrTrunc(bytes, word), llvm::ConstantInt::get(word, 7)),
        3);
    const bool two = call->getArgOperand(1)
                         ->getType()
                         ->isPointerTy();  // one place read and one written, or both read
    before.CreateCall(work, {none, none, two ? before.CreateShl(words, 1) : words, none});
  }
}

llvm::PreservedAnalyses CountWorkPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  // Ours read nothing that they have not written; executed, the patterns would be a tenth of a
  // kernel's instructions.
  for (llvm::Function& f : module)
    if (!IsOwn(f)) DropPatterns(f);
  // Only definitions have the attribute.
  for (llvm::Function& f : module)
    if (f.isDeclaration() && header.Defines(f.getName()))
      f.addFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
  if (llvm::none_of(module, IsOwn)) return llvm::PreservedAnalyses::none();
  llvm::LLVMContext& context = module.getContext();
  auto* word = llvm::Type::getInt64Ty(context);
  auto* nothing = llvm::Type::getVoidTy(context);
  auto* mark = llvm::Function::Create(
      llvm::FunctionType::get(nothing, {llvm::Type::getInt32Ty(context)}, false),
      llvm::GlobalValue::ExternalLinkage, "akgen_mark", module);
  llvm::FunctionCallee work = module.getOrInsertFunction(
      "akgen_scalar_work", llvm::FunctionType::get(nothing, {word, word, word, word}, false));
  const std::vector<llvm::CallInst*> marks = Mark(module, mark);
  const std::map<uint64_t, Work> counted = Canonical(module, mark).Count();
  Pricer as_written(module.getDataLayout());
  std::vector<std::pair<llvm::CallInst*, Work>> priced;
  for (size_t k = 0; k < marks.size(); ++k) {
    auto it = counted.find(k);
    Work w = it != counted.end() ? it->second : Work();
    // Not there in canonical form, where nothing leads to it.
    if (it == counted.end())
      for (llvm::Instruction* i = marks[k]->getNextNode(); i && !IsCallOf(*i, mark);
           i = i->getNextNode())
        if (!IsPattern(*i)) w += as_written.Of(*i);
    priced.emplace_back(marks[k], w);
  }
  for (auto& [at, w] : priced) {
    llvm::IRBuilder<> before(at);
    auto number = [&](uint64_t n) { return llvm::ConstantInt::get(word, n); };
    if (!w.nothing())
      before.CreateCall(work,
                        {number(w.plain), number(w.slow), number(w.words), number(w.library)});
    at->eraseFromParent();
  }
  mark->eraseFromParent();
  AddBytes(module, work);
  return llvm::PreservedAnalyses::none();
}
}  // namespace

void CountWork(clang::CodeGenOptions& options, const guest::Ready& header) {
#if LLVM_VERSION_MAJOR >= 17
  options.PassBuilderCallbacks.push_back([header](llvm::PassBuilder& passes) {
    passes.registerPipelineStartEPCallback([header](llvm::ModulePassManager& manager, auto) {
      manager.addPass(CountWorkPass(header));
    });
  });
#else
  (void)options;
  (void)header;
#endif
}

}  // namespace akgen::toolchain
