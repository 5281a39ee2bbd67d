"""Loops in several spellings: those of one group do the same work and must cost the same."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

KERNEL = """// launch: blocks=1 args=in:f32[{n}],out:f32[{n}]
#include <cmath>
#include <cstring>
#include "kernel_operator.h"
using namespace AscendC;
constexpr int kN = {n};
{functions}
extern "C" __global__ __aicore__ void kernel(GM_ADDR x_gm, GM_ADDR y_gm) {{
  __gm__ float* x = (__gm__ float*)x_gm;
  __gm__ float* y = (__gm__ float*)y_gm;
{body}
}}
"""


def kernel(body, functions="", n=1024):
    return KERNEL.format(body="\n".join("  " + line for line in body.strip().splitlines()), functions=functions, n=n)


def line(v):
    return f"(({v} * 3.0f + 1.0f) * {v} + 2.0f) * {v} + 5.0f"


ELEMENT = f"y[i] = {line('x[i]')};"

# A polynomial of each element, through pointers to Global Memory.
GLOBAL = {
    "for": kernel(f"for (int i = 0; i < kN; ++i) {ELEMENT}"),
    "unsigned": kernel(f"for (uint32_t i = 0; i < kN; i++) {ELEMENT}"),
    "while": kernel(f"size_t i = 0;\nwhile (i != kN) {{\n  {ELEMENT}\n  i += 1;\n}}"),
    "do": kernel(f"int i = 0;\ndo {{\n  {ELEMENT}\n}} while (++i < kN);"),
    "goto": kernel(f"int i = 0;\nagain:\nif (i >= kN) goto end;\n{ELEMENT}\n++i;\ngoto again;\nend:\nreturn;"),
    "downwards": kernel(f"for (int i = kN - 1; i >= 0; --i) {ELEMENT}"),
    "pointers": kernel(f"__gm__ float* end = x + kN;\nfor (; x < end; ++x) *y++ = {line('*x')};"),
    "one at a time": kernel(f"__gm__ float* end = x + kN;\nwhile (x < end) {{\n  float v = *x++;\n  *y++ = {line('v')};\n}}"),
    "bytes": kernel("for (int i = 0; i < kN * 4; i += 4) {\n  float v = *(__gm__ float*)(x_gm + i);\n"
                    f"  *(__gm__ float*)(y_gm + i) = {line('v')};\n}}"),
    "temporaries": kernel("for (int i = 0; i < kN; ++i) {\n  float v = x[i];\n  float a = v * 3.0f;\n  float b = a + 1.0f;\n"
                          "  float c = b * v;\n  c += 2.0f;\n  c *= v;\n  float d = c + 5.0f;\n  y[i] = d;\n}"),
    "unrolled": kernel("for (int i = 0; i < kN; i += 4) {\n" + "".join(f"  y[i + {k}] = {line(f'x[i + {k}]')};\n" for k in range(4)) + "}"),
    "unrolled, one pointer": kernel("for (int i = 0; i < kN; i += 8, x += 8, y += 8) {\n"
                                    + "".join(f"  y[{k}] = {line(f'x[{k}]')};\n" for k in range(8)) + "}"),
    "helper": kernel("for (int i = 0; i < kN; ++i) y[i] = Line(x[i]);",
                     "__aicore__ inline float Step(float v, float x, float c) { return v * x + c; }\n"
                     "__aicore__ inline float Line(float v) { return Step(Step(Step(3.0f, v, 1.0f), v, 2.0f), v, 5.0f); }"),
    "helper by reference": kernel("for (int i = 0; i < kN; ++i) Line(x[i], y[i]);",
                                  f"__aicore__ inline void Line(const __gm__ float& a, __gm__ float& b) {{ b = {line('a')}; }}"),
    "template": kernel("for (int i = 0; i < kN; ++i) y[i] = Line(x[i], 3.0f, 1.0f);",
                       "template <class T> __aicore__ inline T Line(T v, T a, T b) { return ((v * a + b) * v + T(2)) * v + T(5); }"),
    "members": kernel("Op op;\nop.Init(x, y, kN);\nop.Process();", """
class Op {
 public:
  __aicore__ inline void Init(__gm__ float* x, __gm__ float* y, int n) { x_ = x, y_ = y, n_ = n, scale_ = 3.0f, bias_ = 1.0f; }
  __aicore__ inline void Process() {
    for (i_ = 0; i_ < n_; ++i_) One();
  }
 private:
  __aicore__ inline void One() { y_[i_] = ((x_[i_] * scale_ + bias_) * x_[i_] + 2.0f) * x_[i_] + 5.0f; }
  __gm__ float *x_, *y_;
  int n_, i_;
  float scale_, bias_;
};"""),
    "structure": kernel("struct { int i; float v, b; } s;\nfor (s.i = 0; s.i < kN; s.i++) {\n  s.v = x[s.i];\n"
                        "  s.b = s.v * 3.0f + 1.0f;\n  s.b = s.b * s.v + 2.0f;\n  y[s.i] = s.b * s.v + 5.0f;\n}"),
    "two loops": kernel(f"for (int j = 0; j < kN; j += 32)\n  for (int i = j; i < j + 32; ++i) {ELEMENT}"),
    "never": kernel(f"bool odd = kN % 2;\nfor (int i = 0; i < kN; ++i) {{\n  if (odd) y[i] = 0;\n  else {ELEMENT}\n}}"),
}

# A hash: arithmetic and nothing else.
HASH = {
    "for": kernel("uint32_t h = 1;\nfor (int i = 0; i < 4096; ++i) {\n  h ^= h << 13;\n  h ^= h >> 17;\n  h ^= h << 5;\n}\ny[0] = h;"),
    "while": kernel("uint32_t h = 1;\nint left = 4096;\nwhile (left-- > 0) {\n  h = h ^ (h << 13);\n  h = h ^ (h >> 17);\n  h = h ^ (h << 5);\n}\ny[0] = h;"),
    "goto": kernel("uint32_t h = 1;\nunsigned i = 0;\nmore:\nh ^= h << 13;\nh ^= h >> 17;\nh ^= h << 5;\nif (++i != 4096) goto more;\ny[0] = h;"),
    "nested": kernel("uint32_t h = 1;\nfor (int i = 0; i < 64; ++i)\n  for (int j = 0; j < 64; ++j) {\n    h ^= h << 13;\n    h ^= h >> 17;\n    h ^= h << 5;\n  }\ny[0] = h;"),
    "helper": kernel("uint32_t h = 1;\nfor (int i = 0; i < 4096; ++i) h = Next(h);\ny[0] = h;", """
__aicore__ inline uint32_t Next(uint32_t h) {
  h ^= h << 13;
  h ^= h >> 17;
  return h ^ (h << 5);
}"""),
    "by pointer": kernel("uint32_t h = 1;\nfor (int i = 0; i < 4096; ++i) Next(&h);\ny[0] = h;", """
__aicore__ inline void Next(uint32_t* h) {
  *h ^= *h << 13;
  *h ^= *h >> 17;
  *h ^= *h << 5;
}"""),
    "members": kernel("Random r;\nr.state_ = 1;\nfor (int i = 0; i < 4096; ++i) r.Next();\ny[0] = r.state_;", """
struct Random {
  uint32_t state_;
  __aicore__ inline void Next() { Shift(13, true), Shift(17, false), Shift(5, true); }
  __aicore__ inline void Shift(int by, bool left) { state_ ^= left ? state_ << by : state_ >> by; }
};"""),
    "lambda": kernel("uint32_t h = 1;\nauto next = [&] {\n  h ^= h << 13;\n  h ^= h >> 17;\n  h ^= h << 5;\n};\nfor (int i = 0; i < 4096; ++i) next();\ny[0] = h;"),
    "unrolled": kernel("uint32_t h = 1;\nfor (int i = 0; i < 4096; i += 2) {\n" + "  h ^= h << 13;\n  h ^= h >> 17;\n  h ^= h << 5;\n" * 2 + "}\ny[0] = h;"),
}

# Sums over an array of the kernel's own.
OWN = {
    "index": kernel("int a[256];\nfor (int i = 0; i < 256; ++i) a[i] = i ^ 5;\nint s = 0;\nfor (int k = 0; k < 16; ++k)\n  for (int i = 0; i < 256; ++i) s ^= a[i];\ny[0] = s;"),
    "pointer": kernel("int a[256];\nint v = 0;\nfor (int* p = a; p != a + 256; ++p) *p = v++ ^ 5;\nint s = 0;\nfor (int k = 0; k < 16; ++k)\n  for (int* p = a; p < a + 256; ++p) s ^= *p;\ny[0] = s;"),
    "member": kernel("Own o;\no.Fill();\ny[0] = o.Sum();", """
struct Own {
  int a[256];
  int s = 0;
  __aicore__ inline void Fill() { for (int i = 0; i < 256; ++i) a[i] = i ^ 5; }
  __aicore__ inline int Sum() {
    for (int k = 0; k < 16; ++k) for (int i = 0; i < 256; ++i) s ^= a[i];
    return s;
  }
};"""),
    "unrolled": kernel("int a[256];\nfor (int i = 0; i < 256; ++i) a[i] = i ^ 5;\nint s = 0;\nfor (int k = 0; k < 16; ++k)\n  for (int i = 0; i < 256; i += 4) {\n    s ^= a[i];\n    s ^= a[i + 1];\n    s ^= a[i + 2];\n    s ^= a[i + 3];\n  }\ny[0] = s;"),
    "helper": kernel("int a[256];\nfor (int i = 0; i < 256; ++i) a[i] = i ^ 5;\nint s = 0;\nfor (int k = 0; k < 16; ++k) s = Sum(a, 256, s);\ny[0] = s;", """
__aicore__ inline int Sum(const int* a, int n, int s) {
  for (int i = 0; i < n; ++i) s ^= a[i];
  return s;
}"""),
}

GROUPS = {"global memory": GLOBAL, "arithmetic": HASH, "own array": OWN}
NOTHING = kernel("")

# FastGelu by one core: a copy, a loop, and no vector instruction.
SCALAR_GELU = """
#include <cmath>
#include <cstring>
#include "kernel_operator.h"
using namespace AscendC;
template <class T>
__aicore__ inline void Run(GM_ADDR x_gm, GM_ADDR y_gm, uint32_t n) {
  __gm__ T *x = (__gm__ T *)x_gm, *y = (__gm__ T *)y_gm;
  memcpy(y, x, n * sizeof(T));
  for (uint32_t i = 0; i < n; ++i) {
    const float v = (float)y[i];
    y[i] = (T)(v / (1.0f + expf(-1.702f * v)));
  }
}
extern "C" __global__ __aicore__ void fast_gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  if (TILING_KEY_IS(1)) Run<float>(x, y, t.total);
  else if (TILING_KEY_IS(2)) Run<half>(x, y, t.total);
}
"""
