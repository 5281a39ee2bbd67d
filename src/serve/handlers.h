// Every protocol adds its routes. What they are given outlives the router.
#pragma once
#include "serve/metrics.h"
#include "serve/router.h"
#include "serve/service.h"

namespace akgen::serve {
class ModelHost;

void AddHealth(Router& router, Service& service, Metrics& metrics);  // /healthz, /readyz, /metrics
void AddV1(Router& router, Service& service);                        // /v1: our own
void AddJobs(Router& router, Service& service);                      // /v1/jobs, /v1/batch

void AddOpenEnv(Router& router, Service& service);        // OpenEnv, and the task routes of ORS
void AddRewards(Router& router, Service& service);        // OpenRLHF, slime
void AddSandboxFusion(Router& router, Service& service);  // SandboxFusion's client, verl
void AddMcp(Router& router, Service& service);            // Model Context Protocol
void AddModels(Router& router, ModelHost& host);          // /v1/models, completions
// Of everything that was asked under the reader's name; `form`: kernels may be pasted.
void AddPage(Router& router, Service& service, bool form);
void AddOpenApi(Router& router);  // the last one: describes the others

}  // namespace akgen::serve
