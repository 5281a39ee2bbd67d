// What the stand-in for the vendor's compiler makes of every kernel: z = x + y in float16, by the sizes that the
// stand-in runtime keeps before each allocation. The compiler defines BUILD, PARAMETERS, and what is wrong with it.
#include <stddef.h>
#include <stdint.h>

#ifdef VENDOR  // the vendor's own operators: it logs that it is loaded, and each call
#include <stdio.h>
#include <stdlib.h>
static void Log(const char* call) {
  const char* file = getenv("AKGEN_TEST_LOG");
  FILE* out = file ? fopen(file, "a") : NULL;
  if (!out) return;
  fprintf(out, "{\"program\": \"opapi\", \"call\": \"%s\"}\n", call);
  fclose(out);
}
__attribute__((constructor)) static void Load(void) { Log("load"); }
#else
static void Log(const char* call) {}
const char akgen_build[] = BUILD;
const uint32_t akgen_parameters = PARAMETERS;
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
