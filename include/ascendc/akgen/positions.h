// TPosition numbers, shared by kernel headers and the chip. Source: the TPosition enumeration order of Ascend C.
#ifndef AKGEN_POSITIONS_H
#define AKGEN_POSITIONS_H
enum AkgenPosition {
  AKGEN_POS_GM = 0,
  AKGEN_POS_A1,
  AKGEN_POS_A2,
  AKGEN_POS_B1,
  AKGEN_POS_B2,
  AKGEN_POS_C1,
  AKGEN_POS_C2,
  AKGEN_POS_CO1,
  AKGEN_POS_CO2,
  AKGEN_POS_VECIN,
  AKGEN_POS_VECOUT,
  AKGEN_POS_VECCALC,
  AKGEN_POS_SPM,
  AKGEN_POS_TSCM,
  AKGEN_POS_C2PIPE2GM,
  AKGEN_POS_C2PIPE2LOCAL,
  AKGEN_POS_MAX
};
#endif
