// Comparison of runs: the same tasks, answers by different generators or of different days.
#pragma once
#include "corpus/export/columns.h"
#include "record/comparison.h"

namespace akgen::corpus {

// As record/comparison.h says: a column's name stands for its run.
record::Comparison CompareGenerators(const std::vector<Column>& columns);
std::string CompareMarkdown(const record::Comparison& comparison);

}  // namespace akgen::corpus
