// What the stand-in for the vendor's compiler makes of every kernel: z = x + y in float16, by the sizes that the
// stand-in runtime keeps before each allocation. The compiler defines BUILD, PARAMETERS, and what is wrong with it.
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef VENDOR  // the vendor's own operators: it logs that it is loaded, and each call
#define PROGRAM "opapi"
#else
#define PROGRAM "kernel"
#endif
static void Log(const char* call) {
  const char* file = getenv("AKGEN_TEST_LOG");
  FILE* out = file ? fopen(file, "a") : NULL;
  if (!out) return;
  fprintf(out, "{\"program\": \"" PROGRAM "\", \"call\": \"%s\", \"pid\": %d}\n", call, (int)getpid());
  fclose(out);
}
#ifdef VENDOR
__attribute__((constructor)) static void Load(void) { Log("load"); }
#else
const char akgen_build[] = BUILD;
const uint32_t akgen_parameters = PARAMETERS;
#endif

#ifdef DEVICE  // a kernel that makes the device misbehave
__attribute__((constructor)) static void Misbehave(void) { setenv("AKGEN_TEST_DEVICE", DEVICE, 1); }
#endif
#ifdef STALL  // a candidate that answers in place of akgen-device, and not to the end
__attribute__((constructor)) static void Stall(void) {
  if (write(3, "\x40\0\0", 3) == 3) sleep(1000);
}
#endif
#ifdef ESCAPE  // one that looks around: each thing that it can do is logged
__attribute__((constructor)) static void Escape(void) {
  const char* secret = getenv("AKGEN_TEST_SECRET");
  char file[4096];
  if (open(secret, O_RDONLY) >= 0) Log("read a file");
  snprintf(file, sizeof file, "%s.mine", secret);
  if (open(file, O_WRONLY | O_CREAT, 0600) >= 0) Log("wrote a file");
  snprintf(file, sizeof file, "/proc/%s/mem", getenv("AKGEN_PARENT"));
  if (open(file, O_RDONLY) >= 0) Log("read memory of akgen");
  struct sockaddr_in there = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}};
  if (connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr*)&there, sizeof there) == 0 || errno != EACCES) Log("used the network");
  Log("looked around");
}
#endif

#ifndef NO_LAUNCH
int akgen_launch(uint32_t blocks, void* stream, void** args) {
  static int launches;
  Log("launch");
  const size_t bytes = *(const size_t*)((const char*)args[2] - 64);
  const _Float16 *x = args[0], *y = args[1];
  _Float16* z = args[2];
  ++launches;
  for (size_t i = 0; i < bytes / 2; ++i) z[i] = x[i] + y[i];
#ifdef WRONG
  z[1] += (_Float16)1;
#endif
#ifdef WRONG_LATER
  if (launches > 1) z[1] += (_Float16)1;
#endif
  return 0;
}
#endif
