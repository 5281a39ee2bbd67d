// Slips made in programs of the kernel language, as people and models make them, each with what the compiler says.
#pragma once
#include <cstdint>

#include "corpus/mistake.h"

namespace akgen::corpus {

// Up to `count` texts, each one slip away from `program`; what the compiler takes has the verdict `pass`. A function of
// its arguments alone.
std::vector<Mistake> WrongPrograms(const std::string& program, size_t count, uint64_t seed);
// The lesson of a composed record's program.
Lesson LessonOfProgram(const base::Json& record, size_t count, uint64_t seed);

}  // namespace akgen::corpus
