// Calls of the library, right and wrong.
using u64 = unsigned long;
extern "C" {
void* memcpy(void*, const void*, u64);
void* memset(void*, int, u64);
int memcmp(const void*, const void*, u64);
u64 strlen(const char*);
int strcmp(const char*, const char*);
double sqrt(double);
float powf(float, float);
double frexp(double, int*);
long lround(double);
}
static char g_text[32] = "guest";

extern "C" u64 Memory(u64 n) {
  char copy[32];
  memset(copy, 7, sizeof copy);
  memcpy(copy, g_text, n);
  return strlen(copy) * 100 + u64(memcmp(copy, g_text, n) == 0) * 10 +
         u64(strcmp(g_text, "guests") < 0);
}
extern "C" u64 Numbers(u64 v) {
  int exponent = 0;
  const double part = frexp(double(v), &exponent);
  return u64(sqrt(double(v * v))) + u64(powf(2, 3)) * 1000 + u64(exponent) * 100000 +
         u64(lround(part * 16)) * 10000000;
}
extern "C" u64 CopyAnything(u64 to, u64 from, u64 bytes) {
  memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return 1;
}
extern "C" u64 SetAnything(u64 to, u64 bytes) {
  memset(reinterpret_cast<void*>(to), 1, bytes);
  return 1;
}
extern "C" u64 LengthOf(u64 text) { return strlen(reinterpret_cast<const char*>(text)); }
extern "C" u64 VariableAt() { return reinterpret_cast<u64>(g_text); }
