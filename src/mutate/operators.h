// The mutation operators, one function per class: order.cc (flags, barriers, queues), place.cc
// (buffers, offsets, tails, blocks), value.cc (repeats, masks, strides, rounding), cube.cc (the
// Cube core's fields and flags), host.cc (definition, workspace), hazard.cc (cache, roles of
// operands, a queue's events, temporaries).
#pragma once
#include <vector>

#include "mutate/mutate.h"

namespace akgen::mutate {

using Mutations = std::vector<Mutation>;
void FindDropFlag(const SourceIndex& index, Mutations* out);
void FindSwapFlag(const SourceIndex& index, Mutations* out);
void FindWrongEventId(const SourceIndex& index, Mutations* out);
void FindDropBarrier(const SourceIndex& index, Mutations* out);
void FindDropQueueCall(const SourceIndex& index, Mutations* out);
void FindFreeEarly(const SourceIndex& index, Mutations* out);
void FindShrinkBuffer(const SourceIndex& index, Mutations* out);
void FindShiftOffset(const SourceIndex& index, Mutations* out);
void FindBreakAlignment(const SourceIndex& index, Mutations* out);
void FindCutTail(const SourceIndex& index, Mutations* out);
void FindSkipRound(const SourceIndex& index, Mutations* out);
void FindWrongRepeat(const SourceIndex& index, Mutations* out);
void FindWrongMask(const SourceIndex& index, Mutations* out);
void FindWrongStride(const SourceIndex& index, Mutations* out);
void FindWrongCastMode(const SourceIndex& index, Mutations* out);
void FindNarrowAccumulate(const SourceIndex& index, Mutations* out);
void FindSkipBlock(const SourceIndex& index, Mutations* out);
void FindWrongCubeField(const SourceIndex& index, Mutations* out);
void FindWrongUnitFlag(const SourceIndex& index, Mutations* out);
void FindWrongFlagPipe(const SourceIndex& index, Mutations* out);
void FindEarlySignal(const SourceIndex& index, Mutations* out);
void FindWrongDefinition(const SourceIndex& index, Mutations* out);
void FindUncleanLine(const SourceIndex& index, Mutations* out);
void FindUndefinedRole(const SourceIndex& index, Mutations* out);
void FindQueueEvent(const SourceIndex& index, Mutations* out);
void FindSmallWorkspace(const SourceIndex& index, Mutations* out);
void FindSmallTemporary(const SourceIndex& index, Mutations* out);

// Changes part number `part` of every DataCopy…Params, or …RepeatParams, that is written as a
// braced variable.
void FindCopyParts(const SourceIndex& index, size_t part, const std::string& tail,
                   const std::string& what, Mutations* out);
void FindRepeatParts(const SourceIndex& index, size_t part, const std::string& tail,
                     const std::string& what, Mutations* out);

}  // namespace akgen::mutate
