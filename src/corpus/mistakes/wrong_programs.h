// Typical errors of people and models made in programs of the kernel language, each with what the
// compiler reports.
#pragma once
#include <cstdint>

#include "corpus/mistakes/mistake.h"
#include "craft/ir/target.h"

namespace akgen::corpus {

// Up to `count` texts, each one error away from `program`; what the compiler accepts has the
// verdict `pass`. A function of its arguments alone.
std::vector<Mistake> WrongPrograms(const std::string& program, const craft::Target& target,
                                   size_t count, uint64_t seed);
// The lesson of a composed kernel's program.
Lesson LessonOfProgram(const Lesson& composed, const craft::Target& target, size_t count,
                       uint64_t seed);

}  // namespace akgen::corpus
