// Why a guest is not running at the moment.
#pragma once
#include <cstdint>

namespace akgen::guest {

enum class Stop : uint8_t {
  kReturned,  // from the function it was started in
  kCall,   // it called outside: Machine::call() says which function; the next Run continues after
           // the call
  kFuel,   // it used up its instructions; the next Run continues
  kFault,  // it cannot go on: Machine::fault()
};

struct Fault {
  enum class Kind : uint8_t {
    kNone,
    kInstruction,  // one that does not exist here
    kJump,         // to an address that holds no code
    kRead,         // from an address that is neither its own nor anything outside
    kWrite,
    kDivision,  // of integers, by zero
    kBreak,     // it stopped itself
  };
  Kind kind = Kind::kNone;
  uint64_t address = 0;  // the instruction's, the target's, or the accessed one
  uint64_t bytes = 0;    // of an access
};

}  // namespace akgen::guest
