#include "runner/process/guest_kernel.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "guest/layout.h"
#include "guest/link.h"
#include "sim/exec/launch_state.h"

namespace akgen::runner {
namespace {
// A turn: short enough that a limit is met closely, long enough to cost nothing.
constexpr int64_t kTurn = 1 << 20;
// Any call of the chip or the library, in scalar instructions that take as long; what it moves or
// computes comes on top.
constexpr uint64_t kWorkOfCall = 200;
// Blocks that wait for each other are all there at once, each with its variables and stack.
constexpr uint64_t kMaxOwnMemory = uint64_t{2} << 30;

std::string Hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}
}  // namespace

GuestKernel::GuestKernel(guest::Image image)
    : image_(std::move(image)), program_(image_), tables_(image_), memory_(tables_.constants()) {}

base::Result<std::unique_ptr<GuestKernel>> GuestKernel::Load(std::string_view file,
                                                             int64_t most_work) {
  auto image = guest::ReadImage(file);
  if (!image.ok()) return image.error();
  std::unique_ptr<GuestKernel> kernel(new GuestKernel(std::move(*image)));
  kernel->left_ = kernel->most_ = most_work;
  for (const std::string& linked : kernel->image_.imports) {
    const std::string name = linked.ends_with(guest::kCubeSuffix)
                                 ? linked.substr(0, linked.size() - std::strlen(guest::kCubeSuffix))
                                 : linked;
    kernel->imports_.push_back(
        {name, FindChipCall(name), guest::FindInLibrary(name), guest::TextsReadBy(name)});
  }
  kernel->ChooseCores();
  return kernel;
}

// What a kernel's program for Vector cores calls if they take part.
constexpr const char* kOfVectors[] = {"akgen_vec", "akgen_cross_set", "akgen_cross_wait",
                                      "akgen_job_post"};

// The types that a kernel names, for one or for several tiling keys: the one with most cores has
// those of the others. The type of a kernel that names none: what its two programs call says which
// cores it needs. Vector cores compute, or they hand over to others what they have copied.
void GuestKernel::ChooseCores() {
  auto imports = [&](const std::string& name) {
    return std::find(image_.imports.begin(), image_.imports.end(), name) != image_.imports.end();
  };
  const std::string cube = guest::kCubeSuffix;
  auto named = [&](const char* type) { return imports("akgen_kernel_type_" + (type + cube)); };
  const bool alone = named("aic") || named("mix_1_0"), vector = named("aiv");
  if (named("mix_1_2"))
    cores_ = {1, 2};
  else if (named("mix_1_1"))
    cores_ = {1, 1};
  else if (alone)
    cores_ = {1, vector ? 2u : 0u};
  else if (imports("akgen_cube" + cube) && !vector)
    cores_ = {1, std::any_of(std::begin(kOfVectors), std::end(kOfVectors), imports) ? 2u : 0u};
}

// A kernel may have a program for one type of core alone.
bool GuestKernel::Choose(const std::string& entry) {
  const auto vector = image_.functions.find(entry),
             cube = image_.functions.find(entry + guest::kCubeSuffix);
  const bool has_vector = vector != image_.functions.end(),
             has_cube = cube != image_.functions.end();
  if (!has_vector && !has_cube) return false;
  entry_ = has_vector ? vector->second : cube->second;
  cube_entry_ = has_cube ? cube->second : vector->second;
  if (!has_cube)
    cores_ = {};
  else if (!has_vector)
    cores_ = {1, 0};
  return true;
}

sim::LoadedKernel GuestKernel::Loaded() {
  sim::LoadedKernel kernel;
  // Addresses in line tables are the guest's own: the object's start counts as 0.
  kernel.base = 0;
  kernel.end = guest::kCallsBase;
  kernel.run = [this](void** arguments) { RunBlock(arguments); };
  kernel.where = [this] { return Where(); };
  kernel.again = [this] { return Again(); };
  kernel.cores = cores_;
  kernel.tables = tables_.tables();
  kernel.address = [this](const void* host) { return memory_.GmToGuest(host); };
  return kernel;
}

bool GuestKernel::Again() {
  constexpr int64_t kLeast = 1'000'000,
                    kTimes = 8;  // of the limit: all that is run again, however often
  if (!first_) first_ = most_ - left_;
  if (*first_ > most_ / kTimes) return false;
  left_ = 2 * *first_ + kLeast;
  return true;
}

void GuestKernel::RunBlock(void** arguments) {
  const uint32_t block = sim::g_core->now.block;
  memory_.Learn();
  if (blocks_.size() <= block) blocks_.resize(block + 1, nullptr);
  const uint64_t own = guest::kStackBytes + image_.variables.size();
  if (++running_ * own > kMaxOwnMemory)
    sim::StopLaunch("memory", std::to_string(running_) +
                                  " blocks wait for each other; their variables and stacks take " +
                                  "more than " + std::to_string(kMaxOwnMemory >> 20) + " MiB");
  GuestBlock running(*this);
  blocks_[block] = &running;
  std::vector<uint64_t> addresses;
  for (size_t i = 0, n = sim::ArgumentsIn(arguments); i < n; ++i)
    addresses.push_back(memory_.GmToGuest(arguments[i]));
  try {
    running.Run(addresses);
  } catch (const std::bad_alloc&) {  // of instructions that wait, buffers, places: as many as the
                                     // guest likes
    sim::StopLaunch("memory", "the kernel keeps the chip from remembering all that it asked for");
  }
  if (!first_) instructions_ += running.machine().executed();
  if (auto& trace = sim::g_core->trace) trace->Executed(block, running.machine().executed());
  if (!changed_) changed_ = running.machine().ChangedVariable();
  blocks_[block] = nullptr;
  --running_;
}

sim::Site GuestKernel::Where() const {
  const uint32_t block = sim::g_core->now.block;
  return block < blocks_.size() && blocks_[block] ? blocks_[block]->Where() : sim::Site();
}

sim::Site GuestBlock::Where() const {
  sim::Site site;
  uint64_t frames[std::size(sim::Site().pc)];
  const size_t n = machine_.Frames(frames);
  for (size_t i = 0; i < n; ++i) site.pc[i] = uintptr_t(frames[i]);
  return site;
}

void GuestBlock::Run(const std::vector<uint64_t>& arguments) {
  for (uint64_t start : kernel_.image_.initialisers) Call(start, {});
  machine_.KeepVariables();
  Call(sim::g_core->cube() ? kernel_.cube_entry_ : kernel_.entry_, arguments);
}

void GuestBlock::Call(uint64_t function, const std::vector<uint64_t>& arguments) {
  machine_.Begin(function, arguments);
  for (;;) {
    const uint64_t before = machine_.executed();
    const guest::Stop stop = machine_.Run(kTurn);
    switch (stop) {
      case guest::Stop::kReturned: return Spent(before);
      case guest::Stop::kCall: Answer(); break;
      case guest::Stop::kFault:
        if (machine_.fault().kind != guest::Fault::Kind::kDivision) StopAtFault();
        PassDivision();
        break;
      case guest::Stop::kFuel: break;
    }
    Spent(before);
    if (kernel_.left_ < 0)
      sim::StopLaunch("timeout", "stopped after work of " + std::to_string(kernel_.most_) +
                                     " scalar instructions");
  }
}

namespace {
// A call has one place, however often it is asked for.
class OneCall {
 public:
  explicit OneCall(sim::Core& core) : core_(core) { core.fiber.call_site = 0; }
  ~OneCall() { core_.fiber.call_site.reset(); }
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;

 private:
  sim::Core& core_;
};
}  // namespace

void GuestBlock::Answer() {
  const GuestKernel::Import& import = kernel_.imports_[machine_.call()];
  Charge(kWorkOfCall);
  if (!import.library) memory().ForgetGrants();
  const OneCall call(*sim::g_core);
  const uint64_t before = machine_.executed();
  if (import.chip ? !import.chip(*this) : import.library ? !import.library(machine_) : true) {
    // The builder refuses kernels with such imports; an image from elsewhere may have them.
    if (!import.chip && !import.library) machine_.Fail(guest::Fault::Kind::kJump);
    StopAtFault();
  }
  // The builder counts the bytes of copies; how long a text is shows here.
  if (import.texts)
    akgen_scalar_work(0, 0, uint64_t(import.texts) * ((machine_.executed() - before + 7) / 8), 0);
}

// What a core makes of it is not documented. Public libraries take a remainder by the size of a
// tile that is not there, and never use it, so that the results stay worth a look.
void GuestBlock::PassDivision() {
  sim::Core& core = *sim::g_core;
  core.AtScalar();
  core.findings.Report(
      sim::FindingKind::kBrokenRule,
      "integer division by zero: what a core makes of it is not documented; here it is 0");
  machine_.PassDivision();
}

void GuestBlock::StopAtFault() {
  using Kind = guest::Fault::Kind;
  sim::Core& core = *sim::g_core;
  const guest::Fault fault = machine_.fault();
  const bool access = fault.kind == Kind::kRead || fault.kind == Kind::kWrite;
  constexpr uint64_t kNullPage = 4096;
  const bool foreign = access && fault.address >= kNullPage;
  std::string what =
      "the kernel dereferences an invalid pointer (address " + Hex(fault.address) + ")";
  if (foreign)
    what =
        std::string(fault.kind == Kind::kWrite ? "a plain store writes " : "a plain load reads ") +
        std::to_string(fault.bytes) + " bytes at " + Hex(fault.address) +
        ", which is not a buffer, tensor or variable of the kernel";
  if (fault.kind == Kind::kInstruction || fault.kind == Kind::kJump || fault.kind == Kind::kBreak)
    what =
        "the kernel calls through a pointer that leads to none of its functions, or traps "
        "(address " +
        Hex(fault.address) + ")";
  core.AtScalar();
  core.findings.Report(sim::FindingKind::kInvalidPointer, what, false, "",
                       access ? fault.address : 0, fault.bytes);
  sim::StopLaunch(foreign ? "stopped" : "crash",
                  foreign ? "access to foreign memory" : Hex(fault.address));
}

}  // namespace akgen::runner
