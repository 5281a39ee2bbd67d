// Every protocol adds its routes. What they are given outlives the router.
#pragma once
#include "serve/metrics.h"
#include "serve/router.h"
#include "serve/service.h"

namespace akgen::serve {

void AddHealth(Router& router, Service& service, Metrics& metrics);  // /healthz, /readyz, /metrics
void AddV1(Router& router, Service& service);                        // /v1: our own
void AddJobs(Router& router, Service& service);                      // /v1/jobs, /v1/batch

}  // namespace akgen::serve
