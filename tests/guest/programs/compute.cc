// Right programs: what they compute is known.
using u64 = unsigned long;
using i64 = long;

// A scalar-heavy loop: additions, a multiplication, a shift, an array in memory and a branch per
// round.
extern "C" u64 Scramble(u64 rounds) {
  unsigned table[64];
  for (unsigned i = 0; i < 64; ++i) table[i] = i * 2654435761u;
  u64 h = 1;
  for (u64 i = 0; i < rounds; ++i) {
    unsigned& cell = table[h % 64];
    cell += unsigned(i);
    h = (h ^ cell) * 0x9e3779b97f4a7c15u;
    if (h & 1) h += 3;
    h ^= h >> 29;
  }
  return h;
}

static int g_counter = 5;
static const int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19};
int g_started = 0;
struct Starter {
  Starter() {
    volatile int v = 77;  // not known to the compiler
    g_started = v;
  }
} g_starter;

extern "C" u64 Variables(u64 add) {
  g_counter += int(add);
  return u64(g_counter) * 1000 + u64(kPrimes[add % 8]) + u64(g_started) * 1000000;
}

extern "C" u64 ManyArguments(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i, u64 j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

template <typename T>
T Same(T v) {
  return v;
}
extern "C" u64 Divisions(i64 a, i64 b) {
  return u64(a / b) ^ u64(a % b) * 3 ^ u64(unsigned(a) / unsigned(b)) * 5 ^
         u64(i64(int(a) % int(b))) * 7 ^ u64(a) / u64(b) * 11 ^ u64(a) % u64(b) * 13 ^
         u64((__int128(a) * b) >> 64) * 17;
}
extern "C" u64 Floats(double x, float y, int n) {
  float sum = 0;
  for (int i = 1; i <= n; ++i) sum += y / float(i) - float(x) * 0.25f;
  _Float16 h = (_Float16)(sum * 0.001f);
  double wide = double(float(h)) + x;
  u64 bits;
  __builtin_memcpy(&bits, &wide, 8);
  return bits ^ u64(i64(sum)) ^ u64(unsigned(y)) ^ u64(__builtin_sqrt(x) < 2.0) << 3 ^
         u64(int(-y)) << 7;
}

// Atomics of both sizes, with and without a loop around a reservation.
extern "C" u64 Atomics(u64 v) {
  unsigned word = 0xfffffff0u;
  u64 wide = 7;
  u64 out = __atomic_fetch_add(&word, unsigned(v), __ATOMIC_SEQ_CST) +
            __atomic_exchange_n(&wide, v, __ATOMIC_SEQ_CST);
  out = out * 3 + __atomic_fetch_or(&wide, 8, __ATOMIC_SEQ_CST) +
        __atomic_fetch_xor(&word, 5u, __ATOMIC_SEQ_CST);
  u64 expected = wide;
  out +=
      __atomic_compare_exchange_n(&wide, &expected, 99, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  expected = 1;
  out += 2 * __atomic_compare_exchange_n(&wide, &expected, 5, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST) +
         expected;
  return out * 5 + word + wide;
}
extern "C" u64 outside_twice(u64 value);
extern "C" double outside_half(double value);
extern "C" u64 Calls(u64 value) { return outside_twice(value + 1) + outside_twice(Same(value)); }
extern "C" u64 CallsFloat(double value) { return u64(outside_half(value) * 8); }
extern "C" u64 ReadsWindow(const u64* window, u64* out) {
  *out = window[0] + window[1];
  return *out;
}
extern "C" u64 Depth(u64 n) { return n == 0 ? outside_twice(0) : Depth(n - 1) + 1; }
u64 Pick1(u64 v) { return v + 1; }
u64 Pick2(u64 v) { return v * 2; }
extern "C" u64 Pointers(u64 v) {
  u64 (*volatile pick[2])(u64) = {Pick1, Pick2};
  return pick[v % 2](v);
}
