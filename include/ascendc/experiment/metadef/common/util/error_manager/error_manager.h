// The error manager's place in older source trees.
#ifndef AKGEN_EXPERIMENT_ERROR_MANAGER_H
#define AKGEN_EXPERIMENT_ERROR_MANAGER_H
#include "common/util/error_manager/error_manager.h"
#endif
