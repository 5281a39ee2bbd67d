// Slips made in programs of the kernel language, as people and models make them, each with what the compiler says.
#pragma once
#include <cstdint>

#include "corpus/mistake.h"
#include "craft/ir/target.h"

namespace akgen::corpus {

// Up to `count` texts, each one slip away from `program`; what the compiler takes has the verdict `pass`. A function of
// its arguments alone.
std::vector<Mistake> WrongPrograms(const std::string& program, const craft::Target& target, size_t count,
                                   uint64_t seed);
// The lesson of a composed record's program.
Lesson LessonOfProgram(const base::Json& record, const craft::Target& target, size_t count, uint64_t seed);

}  // namespace akgen::corpus
