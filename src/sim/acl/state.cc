#include "sim/acl/state.h"

#include <cstdlib>

#include "sim/machine/mapping.h"

namespace akgen::sim {

AclState& AclState::Get() {
  static AclState* state = new AclState;  // outlives the program's own static destructors
  return *state;
}

Site SiteOf(void* caller) {
  Site site;
  site.pc[0] = reinterpret_cast<uintptr_t>(caller);
  return site;
}

aclError AclState::Fail(aclError error, std::string text) {
  last_error = error;
  message = std::move(text);
  return error;
}

void AclState::Report(FindingKind kind, std::string text, void* caller, bool warning) {
  RawFinding finding;
  finding.kind = kind;
  finding.message = std::move(text);
  finding.site = SiteOf(caller);
  finding.what = "host";
  finding.memory = "GM";
  finding.warning = warning;
  findings.Add(std::move(finding));
}

const Allocation* AclState::FindDevice(const void* address, size_t bytes, uintptr_t* base) const {
  uintptr_t a = reinterpret_cast<uintptr_t>(address);
  auto it = device.upper_bound(a);
  if (it == device.begin()) return nullptr;
  --it;
  size_t offset = a - it->first;
  if (offset > it->second.bytes || bytes > it->second.bytes - offset) return nullptr;
  if (base) *base = it->first;
  return &it->second;
}

Stream* AclState::FindStream(void* stream) {
  if (!stream) return &default_stream;
  auto it = streams.find(stream);
  return it == streams.end() ? nullptr : it->second.get();
}

void AclState::Submit(Stream* stream, std::string what, std::function<void()> step) {
  if (capture) {
    capture->steps.push_back({std::move(what), std::move(step)});
    return;
  }
  stream->busy = true;
  step();
}

aclError AclState::DeviceError() const {
  if (report.status == "ok") return ACL_SUCCESS;
  return report.status == "deadlock" ? ACL_ERROR_RT_VECTOR_CORE_TIMEOUT
                                     : ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
}

void SetProgramObject(uintptr_t begin, size_t bytes) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  s.own_begin = begin;
  s.own_bytes = bytes;
}

void BeginProgram(ProgramOptions options) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  for (auto& [base, allocation] : s.device)
    Unmap(reinterpret_cast<uint8_t*>(base), allocation.mapped);
  for (auto& [base, allocation] : s.host) free(reinterpret_cast<void*>(base));
  s.device.clear();
  s.host.clear();
  s.freed.clear();
  s.streams.clear();
  s.events.clear();
  s.contexts.clear();
  s.models.clear();
  s.capture.reset();
  s.findings.Clear();
  s.left = {};
  s.report = {};
  s.options = std::move(options);
  s.findings.Enable(s.options.checks);
  s.default_stream = {};
  s.device_id = 0;
  s.device_bytes = 0;
  s.serial = 0;
  s.last_error = 0;
  s.message.clear();
  ClearGmRegions();
}

ProgramReport EndProgram() {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  for (auto& [base, allocation] : s.device) {
    RawFinding finding;
    finding.kind = FindingKind::kDeviceLeak;
    finding.message =
        "aclrtMalloc of " + std::to_string(allocation.bytes) + " bytes is never freed";
    finding.site = allocation.site;
    finding.what = "aclrtMalloc";
    finding.memory = allocation.name;
    finding.bytes = allocation.bytes;
    finding.warning = true;
    s.findings.Add(std::move(finding));
  }
  ProgramReport report = s.report;
  report.findings = s.findings.all();
  return report;
}

}  // namespace akgen::sim
