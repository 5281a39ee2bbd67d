#include "guest/machine.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

#include "guest/decode.h"
#include "guest/translation.h"

namespace akgen::guest {

const uint8_t* State::Readable(uint64_t address, uint64_t bytes) {
  if (const uint8_t* own = Writable(address, bytes)) return own;
  const uint64_t offset = address - kConstantsBase;
  return offset < constants_size && bytes <= constants_size - offset ? constants + offset : nullptr;
}

uint8_t* State::Reach(const Insn* now, int64_t left, uint64_t address, uint64_t bytes, bool write) {
  at = now;
  fuel = left;
  // What begins or ends in its own memory is not asked for outside: code, constants, the edge of
  // the stack.
  uint8_t* p = address >= kOutside && address + bytes > address
                   ? outside->Reach(address, bytes, write)
                   : nullptr;
  if (!p) fault = {write ? Fault::Kind::kWrite : Fault::Kind::kRead, address, bytes};
  return p;
}

Stop State::Leave(const Insn* now, int64_t left, const Insn* to, uint64_t target) {
  if (to) return StopHere(to, left, Stop::kFuel);
  const uint64_t number = (target - kCallsBase) / kCallStride;
  if (target % kCallStride || number > imports) return Fails(now, left, Fault::Kind::kJump, target);
  if (number == 0) return StopHere(now, left, Stop::kReturned);
  call = number - 1;
  return StopHere(now, left, Stop::kCall);
}

Engine DefaultEngine() {
  const char* wish = std::getenv("AKGEN_GUEST");
  return wish && std::string_view(wish) == "interpret" ? Engine::kInterpreter : Engine::kTranslator;
}

Program::Program(const Image& image, Engine engine, int64_t cold)
    : image_(&image), code_(Decode(image.code)), engine_(engine), cold_(cold) {}
Program::~Program() {
  if (spare_) ::munmap(spare_, memory_size());
}

// Most guests touch a few pages at the top of their stack and their variables. Those are cleared
// where they are, so that the next machine finds them mapped; the others are new ones.
constexpr size_t kKept = size_t{32} << 10;

uint8_t* Program::TakeMemory() {
  if (uint8_t* memory = std::exchange(spare_, nullptr)) {
    const size_t others = kStackBytes - kKept;
    if (::madvise(memory, others, MADV_DONTNEED) == 0) {
      std::memset(memory + others, 0, memory_size() - others);
      return memory;
    }
    ::munmap(memory, memory_size());
  }
  void* p =
      ::mmap(nullptr, memory_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return static_cast<uint8_t*>(p);
}

void Program::ReturnMemory(uint8_t* memory) {
  if (spare_) ::munmap(spare_, memory_size());
  spare_ = memory;
}

Stop Program::Run(State* s, const Insn* at, int64_t fuel) {
  if (engine_ == Engine::kInterpreter) return at->run(at, s, s->x, fuel);
  if (!translation_ && cold_ > 0) {
    const int64_t part = std::min(fuel, cold_);
    const Stop stop = at->run(at, s, s->x, part);
    cold_ -= part - s->fuel;
    s->fuel += fuel - part;
    if (stop != Stop::kFuel || s->fuel <= 0) return stop;
    at = s->at;
    fuel = s->fuel;
  }
  if (!translation_) translation_ = Translation::Make(*this);
  if (translation_) return translation_->Run(s, at, fuel);
  engine_ = Engine::kInterpreter;
  return at->run(at, s, s->x, fuel);
}

Machine::Machine(Program& program, Outside& outside) : program_(program) {
  const Image& image = program.image();
  state_.constants = image.constants.data();
  state_.constants_size = image.constants.size();
  state_.writable_base = kVariablesBase - kStackBytes;
  state_.writable_size = program.memory_size();
  state_.code = program.code();
  state_.end = program.code() + program.size();
  state_.imports = image.imports.size();
  state_.outside = &outside;
  Reset();
}

Machine::~Machine() {
  if (state_.writable) program_.ReturnMemory(state_.writable);
}

void Machine::Reset() {
  const std::vector<uint8_t>& start = program_.image().variables;
  if (state_.writable) program_.ReturnMemory(std::exchange(state_.writable, nullptr));
  state_.writable = program_.TakeMemory();
  if (!start.empty()) std::memcpy(state_.writable + kStackBytes, start.data(), start.size());
  std::fill(std::begin(state_.x), std::end(state_.x), 0);
  state_.fault = {};
  kept_.assign(start.begin(),
               start.begin() + std::ptrdiff_t(std::min(start.size(), program_.image().of_launch)));
  executed_ = 0;
}

void Machine::Begin(uint64_t function, std::span<const uint64_t> arguments) {
  constexpr size_t kInRegisters = 8;
  const size_t on_stack = arguments.size() > kInRegisters ? arguments.size() - kInRegisters : 0;
  const uint64_t sp = kVariablesBase - 16 - (on_stack * 8 + 15) / 16 * 16;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i < kInRegisters)
      state_.x[10 + i] = arguments[i];
    else if (uint8_t* at = Write(sp + (i - kInRegisters) * 8, 8))
      std::memcpy(at, &arguments[i], 8);
  }
  state_.x[1] = kCallsBase;
  state_.x[2] = sp;
  state_.x[8] = 0;  // no frame before this one
  const Insn* start = state_.Find(function);
  state_.at = start ? start : state_.end;
  state_.call = kMaxImports;
}

Stop Machine::Run(int64_t fuel) {
  const Insn* at = state_.at;
  // A call returns to where its caller said; anything else resumes where it stopped.
  const bool from_call = std::exchange(state_.call, kMaxImports) != kMaxImports;
  const uint64_t back = state_.x[1];
  if (from_call) at = state_.Find(back);
  const Stop stop =
      at ? program_.Run(&state_, at, fuel) : state_.Leave(state_.at, fuel, nullptr, back);
  // From one call straight into the next, as a return address may lead, no instruction lies
  // between: it counts as one.
  executed_ += uint64_t(fuel - state_.fuel) + (at ? 0 : 1);
  return stop;
}

uint8_t* Machine::Reach(uint64_t address, uint64_t bytes, bool write) {
  if (uint8_t* own = state_.Writable(address, bytes)) return own;
  const uint8_t* constant = write ? nullptr : state_.Readable(address, bytes);
  return constant ? const_cast<uint8_t*>(constant)
                  : state_.Reach(state_.at, state_.fuel, address, bytes, write);
}

bool Machine::Fail(Fault::Kind kind) {
  state_.fault = {kind, state_.Address(state_.at), 0};
  return false;
}

void Machine::PassDivision() {
  const Insn& division = *state_.at;
  if (division.rd) state_.x[division.rd] = 0;
  ++state_.at;
  state_.fault = {};
}

std::optional<std::string> Machine::Text(uint64_t address, size_t most) {
  std::string out;
  while (out.size() < most) {
    const uint8_t* c = Read(address + out.size(), 1);
    if (!c) return std::nullopt;
    if (!*c) return out;
    out.push_back(char(*c));
  }
  return std::nullopt;
}

// The compiler keeps frame pointers: behind x8 lie the caller's x8 and the return address.
size_t Machine::Frames(std::span<uint64_t> out) const {
  State& s = const_cast<State&>(state_);
  size_t n = 0;
  const bool in_call = s.call != kMaxImports;
  if (n < out.size()) out[n++] = in_call ? s.x[1] : s.Address(s.at) + 4;
  for (uint64_t frame = s.x[8]; n < out.size();) {
    const uint8_t* saved = s.Readable(frame - 16, 16);
    if (!saved) break;
    uint64_t words[2];
    std::memcpy(words, saved, sizeof words);
    if (words[1] - kCodeBase >= uint64_t(s.end - s.code) * 4) break;
    out[n++] = words[1];
    if (words[0] <= frame) break;
    frame = words[0];
  }
  return n;
}

void Machine::KeepVariables() {
  const uint8_t* now = state_.writable + kStackBytes;
  kept_.assign(now, now + kept_.size());
}

std::optional<size_t> Machine::ChangedVariable() const {
  const uint8_t* now = state_.writable + kStackBytes;
  auto diff = std::mismatch(kept_.begin(), kept_.end(), now);
  if (diff.first == kept_.end()) return std::nullopt;
  return size_t(diff.first - kept_.begin());
}

}  // namespace akgen::guest
