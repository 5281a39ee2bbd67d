// The C interface between compiled kernels (include/ascendc) and the simulated chip (src/sim).
//
// Kernels are compiled thin: every Ascend C call becomes one call below with a plain record. The
// chip (src/sim/exec) implements these functions; nothing here may include a C++ standard header.
// Addresses are host pointers: UB and GM live in the simulator's memory, and the chip maps a
// pointer back to (memory, offset). Lengths are bytes, strides are said per field.
#ifndef AKGEN_ABI_H
#define AKGEN_ABI_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AKGEN_ABI_VERSION 1

// Numbers are those of ge::DataType, so that host, kernel, simulator and tasks share one code.
enum AkgenDtype {
  AKGEN_F32 = 0,
  AKGEN_F16 = 1,
  AKGEN_I8 = 2,
  AKGEN_I32 = 3,
  AKGEN_U8 = 4,
  AKGEN_I16 = 6,
  AKGEN_U16 = 7,
  AKGEN_U32 = 8,
  AKGEN_I64 = 9,
  AKGEN_U64 = 10,
  AKGEN_F64 = 11,
  AKGEN_BOOL = 12,
  AKGEN_C64 = 16,
  AKGEN_BF16 = 27,
  AKGEN_I4 = 29,
  AKGEN_NO_DTYPE = 255
};

enum AkgenPipe {
#define AKGEN_PIPE_ROW(name) AKGEN_PIPE_##name,
#include "akgen/pipes.inc"
#undef AKGEN_PIPE_ROW
  AKGEN_PIPE_COUNT,
  AKGEN_PIPE_ALL = AKGEN_PIPE_COUNT
};

enum AkgenForm {
  AKGEN_FORM_COUNT = 0,  // first `count` elements of the tensors, contiguous
  AKGEN_FORM_MASK = 1,   // mask[0] = number of leading elements per repeat; `repeat` repeats
  AKGEN_FORM_BITS = 2,   // mask[0], mask[1] = one bit per element of a repeat; `repeat` repeats
  AKGEN_FORM_WHOLE = 3   // the op defines its own extent (from count, repeat, aux)
};

enum AkgenVecOp {
#define AKGEN_VEC_OP(name, ...) AKGEN_OP_##name,
#include "akgen/vec_ops.inc"
  AKGEN_OP_COUNT_
};

// One vector instruction. Unused fields are zero. Strides are in 32-byte DataBlocks, except dst_rep
// of the repeat reductions (in result elements, as documented for them) and where a row of
// vec_ops.inc says otherwise.
typedef struct AkgenVec {
  uint16_t op;         // AkgenVecOp
  uint8_t form;        // AkgenForm
  uint8_t set_mask;    // 0: use what SetVectorMask left (isSetMask = false)
  uint8_t dst_type;    // AkgenDtype
  uint8_t src_type;    // dtype of src0
  uint8_t src1_type;   // dtype of src1 (AKGEN_NO_DTYPE if there is none)
  uint8_t round_mode;  // RoundMode
  uint8_t mode;        // CMPMODE, SELMODE, ReduceOrder … as the op's row says
  uint8_t flag;        // op-specific boolean (calIndex, roundEn, …)
  uint16_t dst_blk, src0_blk, src1_blk;
  uint16_t dst_rep, src0_rep, src1_rep;
  uint16_t raw;  // 1: operands are plain pointers, which automatic synchronisation does not see
  uint32_t count;
  uint32_t repeat;
  uint64_t mask[2];
  uint64_t scalar;  // bits of the scalar operand, in the dtype the op's row says (default src_type)
  void* dst;
  const void* src0;
  const void* src1;
  void* tmp;  // sharedTmpBuffer, or 0
  uint64_t aux[4];
  uint32_t tmp_bytes;  // size of the tensor passed as tmp: the instruction may use all its
                       // documented share of it
} AkgenVec;

// Movement between GM and a core's own memory (on a Cube core: L1), and inside UB. A block on the
// core's side occupies its length (with padding) rounded up to 32 bytes.
enum AkgenCopyKind { AKGEN_GM_TO_UB = 0, AKGEN_UB_TO_GM = 1, AKGEN_UB_TO_UB = 2 };
typedef struct AkgenCopy {
  uint8_t kind;        // AkgenCopyKind
  uint8_t dtype;       // AkgenDtype of the elements
  uint8_t is_pad_api;  // 1: DataCopyPad (any byte length), 0: DataCopy (length must be a multiple
                       // of 32 bytes)
  uint8_t is_pad;      // 1 isPad: padding and its filler take pad_value; 2 (set by the chip):
                       // SetPadValue named it
  uint8_t left_pad, right_pad;  // elements
  uint16_t block_count;
  uint32_t block_len;  // bytes
  uint32_t raw;  // 1: operands are plain pointers, which automatic synchronisation does not see
  uint32_t l2_bypass;  // 1: the GM tensor's hint asks not to keep its data in L2
  int64_t src_stride;  // bytes from the end of a block to the start of the next
  int64_t
      dst_stride;  // the same on the destination side (a UB side counts from its rounded-up end)
  uint64_t pad_value;  // bits of the padding value in dtype
  void* dst;
  const void* src;
} AkgenCopy;

// One instruction of the Cube core. `n` holds the fields of its row below, in their documented
// units; `dst`, `src` … are its operands, `*_position` their TPositions. What fields mean: the
// API's parameter structure of that name.
enum AkgenCubeOp {
  AKGEN_CUBE_ND2NZ = 0,         // Nd2NzParams, its eight fields in order
  AKGEN_CUBE_LOAD2D,            // startIndex, repeatTimes, srcStride, dstGap, ifTranspose, addrMode
  AKGEN_CUBE_LOAD2D_TRANSPOSE,  // startIndex, repeatTimes, srcStride, dstGap, dstFracGap
  AKGEN_CUBE_LOAD3D,            // AkgenLoad3dField
  AKGEN_CUBE_LOAD_SPARSE,       // startIndex, repeatTimes; src1: the index
  AKGEN_CUBE_FILL,              // repeatTimes, blockNum, dstGap; value: the bits of an element
  AKGEN_CUBE_TO_TABLE,          // to BT or FB: blockCount, blockLen, srcStride, dstStride
  AKGEN_CUBE_MMAD,              // AkgenMmadField; src, src1: A, B; src2: the bias in BT
  AKGEN_CUBE_FIXPIPE,  // AkgenFixpipeField; value: the quantisation word; src1: words for each
                       // channel
  AKGEN_CUBE_OP_COUNT
};
enum AkgenLoad3dField {
  AKGEN_L3D_PAD_LEFT = 0,
  AKGEN_L3D_PAD_RIGHT,
  AKGEN_L3D_PAD_TOP,
  AKGEN_L3D_PAD_BOTTOM,
  AKGEN_L3D_HEIGHT,
  AKGEN_L3D_WIDTH,
  AKGEN_L3D_CHANNELS,
  AKGEN_L3D_K_EXTENSION,
  AKGEN_L3D_M_EXTENSION,
  AKGEN_L3D_K_START,
  AKGEN_L3D_M_START,
  AKGEN_L3D_STRIDE_W,
  AKGEN_L3D_STRIDE_H,
  AKGEN_L3D_FILTER_W,
  AKGEN_L3D_FILTER_H,
  AKGEN_L3D_DILATION_W,
  AKGEN_L3D_DILATION_H,
  AKGEN_L3D_TRANSPOSE,
  AKGEN_L3D_REGISTERS  // 1: image and padding widths are those of SetFmatrix, 4: of its right one;
                       // 2: the value that of SetLoadDataPaddingValue
};
enum AkgenMmadField {
  AKGEN_MMAD_M = 0,
  AKGEN_MMAD_N,
  AKGEN_MMAD_K,
  AKGEN_MMAD_UNIT_FLAG,
  AKGEN_MMAD_K_ALIGN,
  AKGEN_MMAD_START,  // 0: zero, 1: what L0C holds, 2: the bias
  AKGEN_MMAD_SPARSE
};
enum AkgenFixpipeField {
  AKGEN_FIX_N = 0,
  AKGEN_FIX_M,
  AKGEN_FIX_SRC_STRIDE,
  AKGEN_FIX_DST_STRIDE,
  AKGEN_FIX_QUANT,  // QuantMode_t
  AKGEN_FIX_RELU,
  AKGEN_FIX_UNIT_FLAG,
  AKGEN_FIX_ND_NUM,
  AKGEN_FIX_SRC_ND_STRIDE,
  AKGEN_FIX_DST_ND_STRIDE,
  AKGEN_FIX_ROWS,   // 1: ND in rows, 0: NZ
  AKGEN_FIX_SPLIT,  // channel split
  AKGEN_FIX_FORM    // 0: Fixpipe; 1: DataCopy, which takes quantisation word and matrices from
                    // registers
};
// Registers that such instructions read.
enum AkgenCubeRegister {
  AKGEN_CUBE_REG_FMATRIX =
      0,  // l1H | l1W << 16 | padding left, right, top, bottom << 32, 40, 48, 56
  AKGEN_CUBE_REG_FMATRIX_RIGHT,  // the same, for LoadData with fMatrixCtrl
  AKGEN_CUBE_REG_PAD_VALUE,
  AKGEN_CUBE_REG_REPEAT,    // LoadDataRepeatParam: stride | time << 16 | mode << 24
  AKGEN_CUBE_REG_BOUNDARY,  // SetLoadDataBoundary, bytes
  AKGEN_CUBE_REG_HF32,
  AKGEN_CUBE_REG_HF32_TRANS,
  AKGEN_CUBE_REG_QUANT_WORD,   // SetFixpipePreQuantFlag
  AKGEN_CUBE_REG_ND,           // SetFixpipeNz2ndFlag: ndNum | srcNdStride << 16 | dstNdStride << 32
  AKGEN_CUBE_REG_QUANT_TABLE,  // SetFixPipeConfig: offset of the words in FB, bytes
  AKGEN_CUBE_REG_CLEAR_UNITS,  // SetFixPipeConfig with isUnitFlag: all unit flags become 0
  AKGEN_CUBE_REG_WRITTEN,      // of the chip's own: which of the others were set, a bit each
  AKGEN_CUBE_REG_COUNT
};
typedef struct AkgenCube {
  uint8_t op;  // AkgenCubeOp
  uint8_t dst_type, src_type, src1_type;
  uint8_t dst_position, src_position, src1_position, src2_position;
  uint32_t n[20];
  uint64_t value;
  void* dst;
  const void* src;
  const void* src1;
  const void* src2;
  uint64_t registers[AKGEN_CUBE_REG_COUNT];  // set by the chip when the instruction is issued
} AkgenCube;

void akgen_vec(const AkgenVec* instr);
void akgen_copy(const AkgenCopy* instr);
void akgen_cube(const AkgenCube* instr);
void akgen_cube_register(uint32_t which, uint64_t value);

// Synchronisation inside a core. `id` is checked by the chip (0…7 on 2201).
void akgen_set_flag(uint32_t src_pipe, uint32_t dst_pipe, int32_t id);
void akgen_wait_flag(uint32_t src_pipe, uint32_t dst_pipe, int32_t id);
void akgen_pipe_barrier(uint32_t pipe);
int32_t akgen_alloc_event(uint32_t src_pipe, uint32_t dst_pipe);  // AllocEventID
void akgen_release_event(uint32_t src_pipe, uint32_t dst_pipe, int32_t id);
int32_t akgen_fetch_event(uint32_t src_pipe,
                          uint32_t dst_pipe);  // FetchEventID: an id, not reserved
void akgen_data_sync_barrier(uint32_t kind);   // MemDsbT

// Across cores.
void akgen_cross_set(uint32_t mode, uint32_t pipe, uint32_t flag_id);
void akgen_cross_wait(uint32_t flag_id);
void akgen_sync_all(int32_t aiv_only);                             // hardware form
void akgen_sync_all_soft(void* gm, void* ub, int32_t used_cores);  // software form
void akgen_ib_set(void* gm, void* ub, int32_t block, int32_t event);
void akgen_ib_wait(void* gm, void* ub, int32_t block, int32_t event);
void akgen_det_init(void* gm, void* ub);    // InitDetermineComputeWorkspace
void akgen_det_wait(void* gm, void* ub);    // WaitPreBlock
void akgen_det_notify(void* gm, void* ub);  // NotifyNextBlock

// What library objects on a block's Vector cores have its Cube core do, as records of at most
// AKGEN_JOB_BYTES bytes that the headers alone know. On a Vector core: `open` says how many objects
// may post, `close` that one of them is gone; a job comes after what MTE3 has been given before it;
// its number (> 0) is what `wait` takes. On the Cube core: `take` waits for the next one, in the
// order of arrival, and is 0 when all objects of its Vector cores are gone; `done` says that the
// job taken last is over when what FIX has been given is.
enum { AKGEN_JOB_BYTES = 1024 };
void akgen_jobs_open(uint32_t objects);
void akgen_jobs_close(void);
uint64_t akgen_job_post(const void* job, uint32_t bytes);
void akgen_job_wait(uint64_t job);
int32_t akgen_job_take(void* job, uint32_t bytes);
void akgen_job_done(void);
// What follows, until 0, is a library's: findings in it point to the kernel's call.
void akgen_library_call(int32_t begins);

// TPipe and queues. Positions are TPosition numbers (kernel_operator.h). A buffer is named by its
// UB address.
void akgen_tpipe_init(void* tpipe);
void akgen_tpipe_reset(void* tpipe);
void akgen_tpipe_destroy(void* tpipe);
void* akgen_tpipe_current(void);
// Reserves num buffers of len bytes (rounded up to 32). Returns a queue handle (> 0).
uint32_t akgen_que_init(uint32_t src_position, uint32_t dst_position, int32_t depth, uint32_t num,
                        uint32_t len);
void* akgen_que_alloc(uint32_t que, uint32_t* len);  // AllocTensor
void akgen_que_enque(uint32_t que, void* buffer);
// The next EnQue or DeQue orders the pipes of these positions, not those of the queue's own.
void akgen_que_between(uint32_t que, uint32_t src_position, uint32_t dst_position);
void* akgen_que_deque(uint32_t que, uint32_t* len);
void akgen_que_free(uint32_t que, void* buffer);
int32_t akgen_que_count(uint32_t que);  // tensors in the queue
int32_t akgen_que_idle(uint32_t que);   // free buffers
void akgen_que_free_all_events(uint32_t que);
// TBuf: returns the address; *len becomes the rounded length.
void* akgen_buf_init(uint32_t position, uint32_t* len);
// TBufPool: carve a pool from the TPipe (parent 0) or another pool; later inits with a current pool
// draw on it.
uint32_t akgen_pool_init(uint32_t parent, uint32_t position, uint32_t len, uint32_t share);
void akgen_pool_reset(uint32_t pool);
void akgen_pool_seek(uint32_t pool, uint32_t offset);  // where the pool's next buffer starts, bytes
void akgen_pool_select(uint32_t pool);                 // 0 = the TPipe itself
uint32_t akgen_buf_free_bytes(void);                   // UB bytes not given out by the TPipe
// PopStackBuffer: the UB not given out by the TPipe; accesses there are legal until InitBuffer
// takes it.
void* akgen_stack_buffer(uint32_t* len);
// Static tensors: LocalTensor(TPosition, addr, n) and LocalMemAllocator.
void* akgen_static_tensor(uint32_t position, uint32_t addr, uint32_t len);
// A slice, or an element, that begins `offset` bytes behind an address, at or behind the end of the
// tensor. `from` says what is known of the address, the result what is of the slice: it lies in the
// tensor, or behind its end in the same buffer, or in another one. The latter is announced when an
// instruction or a scalar access is given it.
enum { AKGEN_SLICE_INSIDE, AKGEN_SLICE_BEYOND, AKGEN_SLICE_FOREIGN };
uint32_t akgen_slice(const void* address, uint64_t offset, uint32_t from);
void akgen_slice_used(const void* address);
void* akgen_ub_base(void);
// Put by the builder where a function begins that declares an array in the Unified Buffer: its
// place there.
void* akgen_ub_array(uint32_t offset, uint32_t bytes);
uint32_t akgen_position_offset(uint32_t position, const void* address);

// Scalar unit. The kernel does the load or store itself, after the chip has checked and ordered it.
// GetValue, SetValue and operator() of a tensor are covered by automatic synchronisation; those of
// a GlobalTensor reach Global Memory alone, whatever address it was given.
enum { AKGEN_SCALAR_PLAIN, AKGEN_SCALAR_LOCAL_TENSOR, AKGEN_SCALAR_GLOBAL_TENSOR };
void akgen_scalar_read(const void* address, uint32_t bytes, uint32_t kind);
void akgen_scalar_write(void* address, uint32_t bytes, uint32_t kind);
// Put by the builder in front of every load and store that is not provably on the stack; nobody
// calls them by hand. Most addresses are the kernel's own variables: those return at once. In UB
// and GM they are scalar accesses that the compiler's automatic synchronisation does not see;
// anywhere else the launch stops with a finding.
void akgen_raw_read(const void* address, uint64_t bytes);
void akgen_raw_write(void* address, uint64_t bytes);
// Put by the builder where a stretch of code without a jump begins: what the scalar unit does in
// it. Counts of simple operations; of divisions and operations on floating-point numbers; of words
// of 8 bytes loaded from or stored to memory (what UB and GM add is the chip's business); and of
// calls of library functions.
void akgen_scalar_work(uint64_t plain, uint64_t slow, uint64_t words, uint64_t library);
void akgen_dcci(void* address, uint32_t line, uint32_t dst);         // DataCacheCleanAndInvalid
void akgen_gm_bypass(void* address, uint32_t bytes, int32_t write);  // Write/ReadGmByPassDCache

// Registers and modes.
void akgen_set_mask(uint64_t high, uint64_t low);
void akgen_set_mask_mode(int32_t counter);  // 1 counter, 0 norm
void akgen_set_atomic(
    uint32_t op,
    uint32_t dtype);  // 0 none, 1 add, 2 max, 3 min, 4 keep the op and change the dtype
void akgen_set_deq_scale(float scale, int32_t offset, int32_t sign);
void akgen_set_pad_value(uint64_t bits, uint32_t dtype);
void akgen_set_cmp_mask(const void* ub);
void akgen_get_cmp_mask(void* ub);
// 0 GetAccVal (sum, float bits), 1 reduce max/min value, 2 reduce max/min index, 3 GatherMask
// count, 4 MrgSort result (packed 4×u16), 5 whether the latest merge suspends
uint64_t akgen_get_spr(uint32_t which);
void akgen_clear_spr(uint32_t which);
void akgen_set_ctrl(uint64_t value);
uint64_t akgen_get_ctrl(void);
// mode: of floating results, or of conversions to integers
enum { AKGEN_SATURATE_FLOAT, AKGEN_SATURATE_CAST };
void akgen_set_saturation(uint32_t mode, int32_t on);
int32_t akgen_get_saturation(uint32_t mode);

// System variables.
uint32_t akgen_core_type(void);    // 1 a Cube core, 2 a Vector core
uint32_t akgen_block_idx(void);    // GetBlockIdx
uint32_t akgen_block_group(void);  // the block that this core belongs to, on both types of core
uint32_t akgen_block_num(void);    // GetBlockNum
uint32_t akgen_sub_block_idx(void);
uint32_t akgen_sub_block_num(void);
uint32_t akgen_task_ratio(void);
uint64_t akgen_tiling_key(void);
uint64_t akgen_system_cycle(void);  // modelled, 50 MHz ticks
uint64_t akgen_ub_size(void);
void* akgen_sys_workspace(void);
void akgen_set_sys_workspace(void* workspace);

// Debugging aids and refusals.
void akgen_print(const char* text, uint32_t len);  // printf, already formatted
void akgen_assert_fail(const char* expr, const char* file, int32_t line, const char* message);
// `count` elements from `address`; `shape` of `dims` sizes says how they are laid out, dims 0: in a
// row.
void akgen_dump_tensor(const void* address, uint32_t desc, uint32_t count, uint32_t dtype,
                       const uint32_t* shape, uint32_t dims);
void akgen_trap(void);
void akgen_broken_rule(const char* rule);  // AK1504: a condition that only the headers can see
// The builder asks before each operation that C++ leaves undefined: an index and how many elements
// the array has (AK1011), a shift and how many bits the number has (AK1011), bytes of a function's
// local arrays and those of a stack (AK1012), a division by zero (AK1504). Programs ask before a
// bfloat16 cast too, which a core does not have (AK1504).
enum {
  AKGEN_UNDEFINED_INDEX = 0,
  AKGEN_UNDEFINED_SHIFT = 1,
  AKGEN_UNDEFINED_STACK = 2,
  AKGEN_UNDEFINED_BFLOAT16 = 3,
  AKGEN_UNDEFINED_DIVISION = 4
};
void akgen_undefined(uint32_t concern, uint64_t number, uint64_t limit);
void akgen_unsupported(const char* api);  // not supported by akgen: verdict `unsupported`

#ifdef __cplusplus
}
#endif
#endif  // AKGEN_ABI_H
