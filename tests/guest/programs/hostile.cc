// Programs that try to leave their own memory, or never to end.
using u64 = unsigned long;

extern "C" u64 ReadAt(u64 address) { return *reinterpret_cast<volatile u64*>(address); }
extern "C" u64 WriteAt(u64 address, u64 value) {
  *reinterpret_cast<volatile u64*>(address) = value;
  return 1;
}
extern "C" u64 JumpTo(u64 address) { return reinterpret_cast<u64 (*)(u64)>(address)(7); }
extern "C" u64 Forever() { for (volatile u64 i = 0;; i = i + 1); }
extern "C" u64 HugeStack(u64 touch) {
  volatile char frame[16 << 20];
  frame[touch] = 1;
  return u64(frame[touch]);
}
extern "C" u64 Recurse(u64 n) {
  volatile u64 here = n;
  return Recurse(n + 1) + here;
}
extern "C" u64 OwnCode() {
  // Writes over its own first instruction.
  *reinterpret_cast<volatile unsigned*>(&OwnCode) = 0x00008067;
  return 1;
}
extern "C" u64 ReadOwnCode() { return *reinterpret_cast<volatile unsigned*>(&ReadOwnCode); }
static const volatile u64 kConstant = 42;
extern "C" u64 OwnConstant() {
  *const_cast<volatile u64*>(&kConstant) = 43;
  return kConstant;
}
extern "C" u64 ReturnAddress(u64 value) {
  // Where the frame pointer says that the return address lies.
  reinterpret_cast<volatile u64*>(__builtin_frame_address(0))[-1] = value;
  return 1;
}
extern "C" u64 Ends() { __builtin_trap(); }
extern "C" u64 Misaligned(u64 offset) {
  alignas(16) volatile char bytes[32] = {};
  *reinterpret_cast<volatile u64*>(reinterpret_cast<u64>(bytes) + offset) = 0x0102030405060708;
  return *reinterpret_cast<volatile u64*>(reinterpret_cast<u64>(bytes) + offset);
}
// Instructions of the machine: system calls, control registers, atomics.
extern "C" u64 SystemCall() {
  asm volatile(".word 0x00000073");
  return 1;
}
extern "C" u64 ControlRegister() {
  asm volatile(".word 0xc0001073");
  return 1;
}
extern "C" u64 NoWord() {
  asm volatile(".word 0x00000000");
  return 1;
}
extern "C" u64 BranchOut() {
  asm volatile("li t0, 1\n.word 0x7e028fe3");  // a branch far ahead that is never taken: t0 == x0
  return 1;
}
