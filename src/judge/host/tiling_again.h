// A tiling function that was called again, with other addresses and other contents of memory that
// nothing has written, and said something else (TileReply::other): on a machine its answer is a
// matter of luck.
#pragma once
#include <string>
#include <vector>

#include "judge/host/messages.h"
#include "record/verdict.h"

namespace akgen::judge {

// What differs beside the bytes of the tiling data, as "the number of blocks is 3 instead of 8";
// empty: nothing.
std::string OtherAnswer(const TileReply& reply);
// The bytes that differ, with the names of their fields, as "bytes 8 to 11 (perCore)".
std::string OtherBytes(const TileReply& reply, const Description& host);
// AK3017. `what` differs.
record::Finding DependsOnMemory(const TileReply& reply, const std::string& what);

}  // namespace akgen::judge
