// Rows of a store, as the model that all forms of a report are made from.
#pragma once
#include "base/status.h"
#include "report/report.h"
#include "store/store.h"

namespace akgen::report {

base::Result<Model> ModelOf(const store::Store& store, const store::RunRow& run,
                            const Options& options);

}  // namespace akgen::report
