#include "runner/process/work.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "guest/image.h"
#include "host/host_entry.h"
#include "record/tile_request.h"
#include "runner/process/guest_kernel.h"
#include "runner/process/host_memory.h"
#include "runner/process/tables.h"
#include "sandbox/child.h"

namespace akgen::runner {
namespace {
using base::Json;

int WidenToObject(dl_phdr_info* info, size_t, void* data) {
  auto* object = static_cast<LoadedObject*>(data);
  if (info->dlpi_addr != object->base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      object->end = std::max(object->end, uintptr_t(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
                                                    info->dlpi_phdr[i].p_memsz));
  return 1;
}

// The object's own variables, copied; and the first byte that differs from the copy.
struct Variables {
  std::vector<std::pair<const uint8_t*, std::vector<uint8_t>>> segments;
};

struct Wanted {
  uintptr_t base;
  Variables* out;
};

int CopySegments(dl_phdr_info* info, size_t, void* data) {
  auto* wanted = static_cast<Wanted*>(data);
  if (info->dlpi_addr != wanted->base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& p = info->dlpi_phdr[i];
    if (p.p_type != PT_LOAD || !(p.p_flags & PF_W)) continue;
    auto* at = reinterpret_cast<const uint8_t*>(info->dlpi_addr + p.p_vaddr);
    wanted->out->segments.push_back({at, {at, at + p.p_memsz}});
  }
  return 1;
}

// 1 + the offset of the first change, 0 when nothing changed.
uint64_t Changed(const Variables& before) {
  uint64_t offset = 1;
  for (const auto& [at, bytes] : before.segments) {
    auto diff = std::mismatch(bytes.begin(), bytes.end(), at);
    if (diff.first != bytes.end()) return offset + uint64_t(diff.first - bytes.begin());
    offset += bytes.size();
  }
  return 0;
}

// Loader messages name the descriptor, while the reader knows the object by its role; and symbols
// as they are linked.
std::string Readable(std::string text) {
  if (size_t at = text.find(": "); text.starts_with("/proc/self/fd/") && at != std::string::npos)
    text.erase(0, at + 2);
  constexpr std::string_view kUndefined = "undefined symbol: ";
  if (size_t at = text.find(kUndefined); at != std::string::npos) {
    const size_t start = at + kUndefined.size(),
                 end = std::min(text.find_first_of(", \n", start), text.size());
    int status = 0;
    char* name =
        abi::__cxa_demangle(text.substr(start, end - start).c_str(), nullptr, nullptr, &status);
    const std::string readable = status == 0 && name ? name : text.substr(start, end - start);
    text.replace(start, end - start, "'" + readable + "'");
    std::free(name);
  }
  return text;
}

// Both stages around dlopen: constructors of the object run under the first one.
LoadedObject LoadConfined(const Job& job, int reply, std::optional<RunnerReply>* refused) {
  LoadedObject object;
  if (auto s = sandbox::Confine(job.profile); !s.ok()) {
    *refused = Problem("error", s.error().ToString());
    return object;
  }
  if (!sandbox::WriteAll(reply, kLoading)) {
    *refused = Problem("error", "the process that asked is gone");
    return object;
  }
  object = LoadObject(job.object.get(), job.request.so);
  if (!object.handle) *refused = Problem("stopped", "the object cannot be loaded: " + object.error);
  if (auto s = sandbox::Narrow(sandbox::Syscalls::kKernel); object.handle && !s.ok())
    *refused = Problem("error", s.error().ToString());
  return object;
}

RunnerReply Answers(std::vector<Json> answers) {
  RunnerReply reply;
  reply.status = "ok", reply.answers = std::move(answers);
  return reply;
}

// One after the other; the answer to all.
RunnerReply RunAll(const Job& job,
                   const std::function<sim::RunReply(const sim::RunRequest&)>& run) {
  std::vector<Json> answers;
  for (const sim::RunRequest& request : job.request.runs) answers.push_back(ToJson(run(request)));
  return Answers(std::move(answers));
}

sim::RunReply NoRun(std::string why) {
  sim::RunReply reply;
  reply.status = "stopped", reply.detail = std::move(why);
  return reply;
}

// Some hundred million instructions a second are executed; the rest of the time is the chip's.
int64_t MostInstructions(const RunnerRequest& request) {
  constexpr int64_t kPerMillisecond = 250'000;
  return request.limits.wall_ms * kPerMillisecond;
}

// Nothing of a guest is loaded into this process: its code is data here.
RunnerReply RunGuest(const Job& job, const std::string& image) {
  if (auto s = sandbox::Confine(job.profile); !s.ok())
    return Problem("error", s.error().ToString());
  if (auto s = sandbox::Narrow(sandbox::Syscalls::kKernel); !s.ok())
    return Problem("error", s.error().ToString());
  return RunAll(job, [&](const sim::RunRequest& request) {
    auto kernel = GuestKernel::Load(image, MostInstructions(job.request));
    if (!kernel.ok()) return NoRun(kernel.error().ToString());
    if (!(*kernel)->Choose(request.entry))
      return NoRun("the kernel object has no function " + request.entry + ": is it extern \"C\"?");
    sim::RunReply reply = sim::RunKernel(request, job.inputs, job.outputs, (*kernel)->Loaded());
    reply.instructions = (*kernel)->instructions();
    // Says nothing of what the kernel did: both engines do the same.
    reply.engine = (*kernel)->engine() == guest::Engine::kTranslator ? "translator" : "interpreter";
    if (auto at = (*kernel)->changed_variable()) reply.state_changed = 1 + *at;
    return reply;
  });
}
}  // namespace

std::string Contents(int fd) {
  struct stat st{};
  std::string bytes;
  if (::fstat(fd, &st) != 0 || st.st_size <= 0) return bytes;
  bytes.resize(size_t(st.st_size));
  if (::pread(fd, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size())) bytes.clear();
  return bytes;
}

LoadedObject LoadObject(int fd, const std::string& path) {
  LoadedObject object;
  std::string by_fd = "/proc/self/fd/" + std::to_string(fd);
  object.handle = ::dlopen(by_fd.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.handle) {
    object.error = Readable(::dlerror());
    if (::access("/proc/self/fd", F_OK) != 0)
      object.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!object.handle) return object;
  }
  link_map* map = nullptr;
  if (::dlinfo(object.handle, RTLD_DI_LINKMAP, &map) == 0) object.base = map->l_addr;
  ::dl_iterate_phdr(WidenToObject, &object);
  return object;
}

namespace {
// What the host library answers.
Json AnswerIn(const std::string& text) {
  Json answer = base::Parse(text);
  const auto status = base::Checked("the host library", [&] {
    return base::Result(base::MessageFromJson<record::HostStatus>(answer));
  });
  if (!status.ok()) return ToJson(Problem("error", "the host library gave no JSON"));
  if (!status->ok()) answer["detail"] = status->Detail();
  return answer;
}

// A tiling function's answer, and what makes it another one: "other" and "cause"
// (judge/host/messages.h).
Json TiledTwice(const Json& request, int reply) {
  constexpr uint8_t kFill = 0xa5;  // large as a number, negative, and no address
  auto asked = base::Checked("a request to tile", [&] {
    return base::Result(base::MessageFromJson<record::TileRequest>(request));
  });
  if (!asked.ok()) return AnswerIn(host::Tile(base::Dump(request)));  // what is wrong with it
  auto tiled = [&](HostLayout layout) {
    asked->fill = layout.fill;
    std::string answer;
    WithHostLayout(layout, [&] { answer = host::Tile(*asked); });
    return AnswerIn(answer);
  };
  auto plain = [](Json answer) {
    answer.erase("log");
    return answer;
  };
  Json answer = tiled({});
  if (asked->only_infer || base::MessageFromJson<record::HostStatus>(answer).status == "error")
    return answer;
  sandbox::WriteAll(reply, kAgain);
  Json other = plain(tiled({1, kFill}));
  const Json first = plain(answer);
  if (other == first) return answer;
  answer["cause"] = plain(tiled({1, 0})) == first ? "memory" : "address";
  answer["other"] = std::move(other);
  return answer;
}
}  // namespace

RunnerReply DescribeOrTile(const Job& job, int reply) {
  std::optional<RunnerReply> refused;
  host::ClearRegistry();
  host::PrepareToCapture();
  const bool layouts = PrepareHostLayouts();
  WithHostLayout({}, [&] { LoadConfined(job, reply, &refused); });
  if (refused) return *refused;
  const bool tile = job.request.command == Command::kTile;
  auto ask = [&](const Json& request) {
    if (tile && layouts) return TiledTwice(request, reply);
    const std::string text = base::Dump(request);
    std::string answer;
    WithHostLayout({}, [&] { answer = tile ? host::Tile(text) : host::Describe(text); });
    return AnswerIn(answer);
  };
  if (job.request.single) return RunnerReplyFromJson(ask(job.request.host.at(0)));
  std::vector<Json> answers;
  for (const Json& request : job.request.host) answers.push_back(ask(request));
  return Answers(std::move(answers));
}

RunnerReply RunEntry(const Job& job, int reply) {
  const std::string content = Contents(job.object.get());
  if (guest::IsImage(content)) return RunGuest(job, content);
  std::optional<RunnerReply> refused;
  LoadedObject object = LoadConfined(job, reply, &refused);
  if (refused) return *refused;
  Variables before;
  Wanted wanted{object.base, &before};
  ::dl_iterate_phdr(CopySegments, &wanted);
  const std::vector<sim::GmRegion> tables = TablesOf(content, object.base);
  return RunAll(job, [&](const sim::RunRequest& request) {
    sim::LoadedKernel kernel{::dlsym(object.handle, request.entry.c_str()),
                             object.base,
                             object.end,
                             {},
                             {},
                             {},
                             {},
                             tables};
    if (!kernel.entry)
      return NoRun("the kernel object has no function " + request.entry + ": is it extern \"C\"?");
    sim::RunReply reply = sim::RunKernel(request, job.inputs, job.outputs, kernel);
    reply.state_changed = Changed(before);
    return reply;
  });
}

}  // namespace akgen::runner
