// What other programs take from outside, and what they do not.
using u64 = unsigned long;

extern "C" u64 outside_further(u64 value);
extern "C" u64 outside_unknown(u64 value);
extern "C" u64 outside_twice(u64 value) { return outside_further(value) * 2; }
extern "C" u64 outside_unused(u64 value) { return outside_unknown(value); }
