// A stand-in for the vendor's device runtime: the functions that akgen loads, on memory of this process. It logs calls
// to $AKGEN_TEST_LOG and misbehaves as $AKGEN_TEST_DEVICE says.
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kNoDevice = 107001, kNoMemory = 207001, kHeartbeatLost = 507010, kVectorException = 507035, kSyncTimeout = 507046, kUnknown = 545454 };

// Before each allocation: its size, which the kernels of this toolkit look up (kernels.c).
typedef struct {
  size_t bytes;
  char padding[56];
} Header;

static const char* last_error = "";
static int launches, timed;

static int Misbehaves(const char* how) {
  const char* asked = getenv("AKGEN_TEST_DEVICE");
  return asked && strcmp(asked, how) == 0;
}

static void LogBytes(const char* call, size_t bytes) {
  const char* file = getenv("AKGEN_TEST_LOG");
  FILE* out = file ? fopen(file, "a") : NULL;
  if (!out) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const char* opp = getenv("ASCEND_CUSTOM_OPP_PATH");
  fprintf(out, "{\"program\": \"runtime\", \"call\": \"%s\", \"pid\": %d, \"at\": %.6f, \"custom_opp\": \"%s\", \"bytes\": %zu}\n", call, (int)getpid(),
          (double)now.tv_sec + (double)now.tv_nsec * 1e-9, opp ? opp : "", bytes);
  fclose(out);
}
static void Log(const char* call) { LogBytes(call, 0); }

static int Fail(int code, const char* text) {
  last_error = text;
  return code;
}

int aclInit(const char* config) {
  Log("aclInit");
  if (Misbehaves("slow_start")) usleep(300000);
  return 0;
}
int aclFinalize(void) { return 0; }

int aclrtSetDevice(int32_t device) {
  Log("aclrtSetDevice");
  return device < 2 ? 0 : Fail(kNoDevice, "EE1001: no such device");
}

int aclrtResetDeviceForce(int32_t device) {
  Log("aclrtResetDeviceForce");
  return Misbehaves("lost_for_good") || Misbehaves("hang_for_good") ? Fail(kHeartbeatLost, "no heartbeat") : 0;
}

int aclrtCreateStream(void** stream) {
  *stream = &launches;
  return 0;
}

#ifdef OLD
#define aclrtSynchronizeStreamWithTimeout NotInThisVersion
#endif
int aclrtSynchronizeStreamWithTimeout(void* stream, int32_t ms) {
  ++launches;
  Log("aclrtSynchronizeStreamWithTimeout");
  if (Misbehaves("hang") || Misbehaves("hang_for_good")) return Fail(kSyncTimeout, "stream synchronize timeout");
  if (Misbehaves("slow")) usleep(20000);
  if (Misbehaves("stuck") || Misbehaves("lost_for_good")) sleep(1000000);
  if (Misbehaves("killed")) kill(getpid(), SIGKILL);
  if (Misbehaves("lost")) return Fail(kHeartbeatLost, "task scheduler lost heartbeat");
  if (Misbehaves("exception")) return Fail(kVectorException, "vector core exception");
  if (Misbehaves("unknown")) return Fail(kUnknown, "nobody knows");
  return 0;
}

int aclrtMalloc(void** address, size_t bytes, int policy) {
  if (Misbehaves("memory") && bytes > 32) return Fail(kNoMemory, "EL0004: failed to allocate memory");
  Header* header = aligned_alloc(64, (sizeof(Header) + bytes + 63) / 64 * 64);
  if (!header) return kNoMemory;
  header->bytes = bytes;
  *address = header + 1;
  return 0;
}

int aclrtMemcpy(void* to, size_t room, const void* from, size_t bytes, int kind) {
  if (bytes > room) return Fail(100000, "no room");
  memcpy(to, from, bytes);
  return 0;
}
int aclrtMemcpyAsync(void* to, size_t room, const void* from, size_t bytes, int kind, void* stream) {
  LogBytes("aclrtMemcpyAsync", bytes);
  return aclrtMemcpy(to, room, from, bytes, kind);
}
int aclrtMemsetAsync(void* to, size_t room, int32_t value, size_t bytes, void* stream) {
  // The whole buffer would take seconds here; the first bytes show that it was asked for.
  LogBytes("aclrtMemsetAsync", bytes);
  memset(to, value, bytes < 4096 ? bytes : 4096);
  return 0;
}

int aclrtCreateEvent(void** event) {
  *event = &timed;
  return 0;
}
int aclrtRecordEvent(void* event, void* stream) {
  Log("aclrtRecordEvent");
  return 0;
}
int aclrtEventElapsedTime(float* ms, void* begin, void* end) {
  *ms = 0.0125f + 0.0001f * (float)(timed++ % 5);
  return 0;
}

const char* aclrtGetSocName(void) { return Misbehaves("other_soc") ? "Ascend910B4" : "Ascend910B2"; }
const char* aclGetRecentErrMsg(void) { return last_error; }
