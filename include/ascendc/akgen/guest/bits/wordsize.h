// The C library's headers of this machine, read for a guest: its words have 64 bits as well.
#define __WORDSIZE 64
#define __WORDSIZE_TIME64_COMPAT32 1
#define __SYSCALL_WORDSIZE 64
// A calling convention of 32-bit x86, which these headers fall back to.
#define __regparm__(registers)
