// Streams and events, which run in order.
#include <fstream>

#include "acl/acl.h"
#include "base/json.h"
#include "sim/acl/state.h"

namespace akgen::sim {
namespace {

// Handles are numbers made to look like pointers, so that a stale one is recognised.
void* NewHandle(AclState& s, uintptr_t kind) {
  return reinterpret_cast<void*>((kind << 32) + ++s.serial * 16);
}

aclError NewEvent(aclrtEvent* event) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!event) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateEvent: null result");
  *event = NewHandle(s, 0xE0);
  s.events.insert(*event);
  return ACL_SUCCESS;
}

aclError UseEvent(aclrtEvent event, aclrtStream stream, const char* call) {
  AclState& s = AclState::Get();
  if (!s.events.count(event))
    return s.Fail(ACL_ERROR_RT_INVALID_HANDLE, std::string(call) + ": unknown event");
  if (!s.FindStream(stream))
    return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, std::string(call) + ": unknown stream");
  return ACL_SUCCESS;
}

aclError WaitAll(AclState& s) {
  for (auto& [handle, stream] : s.streams) stream->busy = false;
  s.default_stream.busy = false;
  aclError error = s.DeviceError();
  return error ? s.Fail(error, "a kernel failed: " + s.report.status + " " + s.report.detail)
               : ACL_SUCCESS;
}

aclError RunModel(aclmdlRI model, aclrtStream stream, bool wait) {
  AclState& s = AclState::Get();
  Capture* graph = nullptr;
  {
    std::lock_guard lock(s.mutex);
    auto it = s.models.find(model);
    if (it == s.models.end())
      return s.Fail(ACL_ERROR_RT_INVALID_HANDLE, "aclmdlRIExecute: unknown model");
    Stream* queue = s.FindStream(stream);
    if (!queue) return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, "aclmdlRIExecute: unknown stream");
    graph = it->second.get();
    queue->busy = !wait;
  }
  for (auto& step : graph->steps) step.run();
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace akgen::sim

using namespace akgen::sim;

extern "C" {

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!stream) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: null result");
  *stream = NewHandle(s, 0x5E);
  s.streams[*stream] = std::make_unique<Stream>();
  return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) {
  return aclrtCreateStreamWithConfig(stream, 0, 0);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (s.streams.erase(stream)) return ACL_SUCCESS;
  return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, "aclrtDestroyStream: unknown stream");
}

aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

aclError aclrtSynchronizeStream(aclrtStream stream) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  Stream* queue = s.FindStream(stream);
  if (!queue) return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, "aclrtSynchronizeStream: unknown stream");
  queue->busy = false;
  aclError error = s.DeviceError();
  return error ? s.Fail(error, "a kernel failed: " + s.report.status + " " + s.report.detail)
               : ACL_SUCCESS;
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return aclrtSynchronizeStream(stream);
}

aclError aclrtSynchronizeDevice(void) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  return WaitAll(s);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) { return aclrtSynchronizeDevice(); }

aclError aclrtCreateEvent(aclrtEvent* event) { return NewEvent(event); }
aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) { return NewEvent(event); }
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) { return NewEvent(event); }

aclError aclrtDestroyEvent(aclrtEvent event) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (s.events.erase(event)) return ACL_SUCCESS;
  return s.Fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyEvent: unknown event");
}

// Work runs when it is given, so an event recorded earlier in the program is always complete.
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  std::lock_guard lock(AclState::Get().mutex);
  return UseEvent(event, stream, "aclrtRecordEvent");
}
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  std::lock_guard lock(AclState::Get().mutex);
  return UseEvent(event, stream, "aclrtResetEvent");
}
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  std::lock_guard lock(AclState::Get().mutex);
  return UseEvent(event, stream, "aclrtStreamWaitEvent");
}
aclError aclrtSynchronizeEvent(aclrtEvent event) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (aclError e = UseEvent(event, nullptr, "aclrtSynchronizeEvent")) return e;
  return WaitAll(s);
}
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (aclError e = UseEvent(event, nullptr, "aclrtQueryEventStatus")) return e;
  if (!status) return s.Fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: null result");
  *status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!stream || !s.FindStream(stream)) {
    return s.Fail(ACL_ERROR_RT_STREAM_CONTEXT, "aclmdlRICaptureBegin: needs a created stream");
  }
  if (s.capture)
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureBegin: a capture is already open");
  s.capture = std::make_unique<Capture>();
  return ACL_SUCCESS;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (!modelRI || !s.capture)
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureEnd: no capture is open");
  *modelRI = NewHandle(s, 0x6D);
  s.models[*modelRI] = std::move(s.capture);
  return ACL_SUCCESS;
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return RunModel(modelRI, nullptr, true);
}
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return RunModel(modelRI, stream, false);
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  auto it = s.models.find(modelRI);
  if (it == s.models.end() || !path)
    return s.Fail(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRIDebugJsonPrint: no model");
  akgen::base::Json steps = akgen::base::Json::array();
  for (auto& step : it->second->steps) steps.push_back(step.what);
  std::ofstream(path) << akgen::base::Dump(akgen::base::Json{{"steps", steps}}, 1) << "\n";
  return ACL_SUCCESS;
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  AclState& s = AclState::Get();
  std::lock_guard lock(s.mutex);
  if (s.models.erase(modelRI)) return ACL_SUCCESS;
  return s.Fail(ACL_ERROR_RT_INVALID_HANDLE, "aclmdlRIDestroy: unknown model");
}

}  // extern "C"
