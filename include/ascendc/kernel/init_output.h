// InitOutput: fills GM from the memory that the TPipe has not given out.
#ifndef ASCENDC_KERNEL_INIT_OUTPUT_H
#define ASCENDC_KERNEL_INIT_OUTPUT_H
#include "kernel/system.h"

namespace AscendC {
inline void AkgenFlagPair(HardEvent evt) {
  const int32_t id = akgen_fetch_event(AkgenSrcPipe(evt), AkgenDstPipe(evt));
  akgen_set_flag(AkgenSrcPipe(evt), AkgenDstPipe(evt), id);
  akgen_wait_flag(AkgenSrcPipe(evt), AkgenDstPipe(evt), id);
}

// Fills bytes of ub with a repeated value; elements that no vector unit fills are filled as words
// of their bytes.
template <typename T>
inline void AkgenFillUb(void* ub, uint32_t bytes, T value) {
  uint64_t bits = AkgenBits(value);
  AkgenVec instr = {};
  instr.op = AKGEN_OP_Duplicate;
  instr.form = AKGEN_FORM_COUNT;
  instr.set_mask = 1;
  if constexpr (sizeof(T) == 2) {
    instr.dst_type = AkgenDtypeOf<T>::value;
    instr.count = bytes / 2;
  } else {
    if constexpr (sizeof(T) == 1) bits *= 0x01010101u;
    instr.dst_type = sizeof(T) == 4 ? AkgenDtypeOf<T>::value : static_cast<uint8_t>(AKGEN_U32);
    instr.count = bytes / 4;
  }
  instr.src_type = instr.dst_type;
  instr.src1_type = AKGEN_NO_DTYPE;
  instr.scalar = bits;
  instr.dst_blk = DEFAULT_BLK_STRIDE;
  instr.dst_rep = DEFAULT_REPEAT_STRIDE;
  instr.dst = ub;
  akgen_vec(&instr);
}

// Sets size elements at gmWorkspaceAddr to value. Leaves the unused part of UB changed.
template <typename T>
__aicore__ inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0) {
  static_assert(sizeof(T) <= 8, "Ascend C: InitOutput needs an element of at most 64 bits");
  LocalTensor<T> buffer;
  PopStackBuffer<T, TPosition::LCM>(buffer);
  const uint32_t limit = MAX_REPEAT_TIMES * ONE_BLK_SIZE;  // bytes of one copy
  const uint32_t piece = (buffer.GetLength() < limit ? buffer.GetLength() : limit) / 32 * 32;
  if (piece == 0 || size == 0) return;
  if constexpr (sizeof(T) == 8) {
    for (uint32_t i = 0; i < piece / 8; ++i) buffer.SetValue(i, value);
    AkgenFlagPair(HardEvent::S_MTE3);
  } else {
    AkgenFillUb(buffer.AkgenPtr(), piece, value);
    AkgenFlagPair(HardEvent::V_MTE3);
  }
  const uint64_t total = static_cast<uint64_t>(size) * sizeof(T);
  for (uint64_t done = 0; done < total; done += piece) {
    const uint64_t len = total - done < piece ? total - done : piece;
    AkgenPadMove(gmWorkspaceAddr[done / sizeof(T)], buffer, AkgenWhole(len));
  }
  AkgenFlagPair(HardEvent::MTE3_V);
}
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_INIT_OUTPUT_H
