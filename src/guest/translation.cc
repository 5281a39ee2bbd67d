#include "guest/translation.h"

#include <cstring>

#include "guest/block_translator.h"
#include "guest/machine.h"

namespace akgen::guest {
namespace {
// Words of code; a table entry for each. Larger programs are interpreted.
constexpr size_t kMaxWords = 1 << 20;
// Room for all blocks of ordinary programs several times over. A guest that jumps into the middle
// of its blocks may fill it; what comes after that is interpreted.
constexpr size_t kBytesPerWord = 64, kLeastBytes = 1 << 20;
}  // namespace

std::unique_ptr<Translation> Translation::Make(const Program& program) {
#if defined(__x86_64__)
  if (program.size() > kMaxWords) return nullptr;
  std::unique_ptr<Translation> t(new Translation(program));
  const size_t entries = program.size() + 1;
  t->memory_ = CodeMemory::Make(entries * sizeof(uint64_t), kLeastBytes + entries * kBytesPerWord);
  if (!t->memory_) return nullptr;
  t->WriteEntries();
  return t;
#else
  return nullptr;
#endif
}

void Translation::WriteEntries() {
  EntryWriter writer(memory_->code());
  enter_ = memory_->Executed(writer.Enter());
  for (Exit e : {Exit::kStep, Exit::kAbsent, Exit::kFuel, Exit::kJump})
    leave_[size_t(e)] = writer.Leave(e);
  free_ = writer.at();
  absent_ = memory_->Executed(leave_[size_t(Exit::kAbsent)]);
  for (size_t slot = 0; slot <= program_.size(); ++slot)
    std::memcpy(Entry(slot), &absent_, sizeof absent_);
}

const uint8_t* Translation::Begin(size_t slot) const {
  const uint8_t* begin;
  std::memcpy(&begin, Entry(slot), sizeof begin);
  return begin;
}

// Where to go on at an instruction; nullptr: there is no room left to translate it.
const uint8_t* Translation::Find(size_t slot) {
  if (!Has(slot)) {
    if (size_t(memory_->end() - free_) < BlockTranslator::kMaxBytes) return nullptr;
    BlockTranslator(*this, slot).Translate();
  }
  return Begin(slot);
}

Stop Translation::Run(State* s, const Insn* at, int64_t fuel) {
  using EnterFunction = uint64_t (*)(State*, const uint8_t*);
  const auto enter = reinterpret_cast<EnterFunction>(reinterpret_cast<uintptr_t>(enter_));
  s->fuel = fuel;
  const uint8_t* code = Find(size_t(at - s->code));
  for (; code;) {
    switch (Exit(enter(s, code))) {
      case Exit::kStep: {
        const Site site = sites_[s->left_at];
        const int64_t left = s->fuel;
        if (!site.step(site.at, s, s->x, left - site.before)) return Stop::kFault;
        s->fuel = left;
        code = site.resume;
        break;
      }
      case Exit::kAbsent:
        at = s->code + s->left_at;
        code = Find(s->left_at);
        break;
      case Exit::kFuel: return s->StopHere(s->code + s->left_at, s->fuel, Stop::kFuel);
      case Exit::kJump:
        return s->Leave(s->code + s->left_at, s->fuel, s->Find(s->left_for), s->left_for);
    }
  }
  return at->run(at, s, s->x, s->fuel);
}

}  // namespace akgen::guest
