"""Made by tools/python_records from docs/schema/judgement.schema.json; changes are lost."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Optional

from ..record import Record, member


@dataclass
class Case(Record):
    """`case` of the schema `judgement`."""

    verdict: Literal["pass", "wrong_answer", "finding", "runtime_error", "timeout", "build_error", "rejected", "unsupported", "undecided", "infra_error", "skipped"] = member("verdict")
    id: str = member("id")
    reason: str = member("reason")
    numbers_pass: bool = member("numbers_pass")
    findings: List[Finding] = member("findings", lambda: Finding)
    block_dim: int = member("block_dim")
    tiling_key: int = member("tiling_key")
    build_ms: float = member("build_ms")
    tile_ms: float = member("tile_ms")
    run_ms: float = member("run_ms")
    chip_ms: float = member("chip_ms")
    chip_cpu_ms: float = member("chip_cpu_ms")
    reference_ms: float = member("reference_ms")
    check_ms: float = member("check_ms")
    reference_cached: bool = member("reference_cached")
    arithmetic: Dict[str, Any] = member("arithmetic")  # rounding vector instructions by data type, narrowing casts, and instructions whose pages call them inaccurate
    outputs: List[Output] = member("outputs", lambda: Output)
    orders: Optional[List[int]] = member("orders", required=False)  # schedules of the further orders of execution that it was run under; blocks exchanged data
    modelled: Optional[Modelled] = member("modelled", lambda: Modelled, required=False)
    print: Optional[str] = member("print", required=False)  # what the kernel printed, at most 64 KiB; of `akgen judge` and `akgen run` alone
    measured: Optional[Measured] = member("measured", lambda: Measured, required=False)
    vendor_code: Optional[int] = member("vendor_code", required=False)  # what the device's runtime said; absent: no error
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Finding(Record):
    """`finding` of the schema `judgement`."""

    code: str = member("code")  # its page: docs/diagnostics
    check: Literal["", "memcheck", "initcheck", "racecheck", "synccheck"] = member("check")
    message: str = member("message")
    fix: str = member("fix")
    place: Place = member("place", lambda: Place)
    block: int = member("block")  # -1: unknown
    memory: str = member("memory")  # UB, GM:x, …
    buffer: str = member("buffer")
    address: int = member("address")  # byte offset in that memory; negative: before its start
    bytes: int = member("bytes")
    count: int = member("count")  # times seen
    warning: bool = member("warning")  # reported, does not decide the verdict
    undecided: bool = member("undecided")  # the check was inconclusive
    other: Optional[Place] = member("other", lambda: Place, required=False)
    edits: Optional[List[Edit]] = member("edits", lambda: Edit, required=False)  # applied together they make the finding go away and bring no other: that was tried
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Place(Record):
    """`place` of the schema `judgement`."""

    file: str = member("file")  # as compiled; empty: unknown
    line: int = member("line")
    pipe: str = member("pipe")  # PIPE_V …
    what: str = member("what")
    block: int = member("block")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Output(Record):
    """`output` of the schema `judgement`."""

    name: str = member("name")
    elements: int = member("elements")
    mismatches: int = member("mismatches")
    rule: Optional[str] = member("rule", required=False)
    max_abs: Optional[float] = member("max_abs", required=False)  # null: infinite
    max_rel: Optional[float] = member("max_rel", required=False)
    first: Optional[List[Any]] = member("first", required=False)
    histogram: Optional[Dict[str, Any]] = member("histogram", required=False)
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Modelled(Record):
    """`modelled` of the schema `judgement`."""

    us: Optional[float] = member("us", required=False)  # modelled time of the launch, microseconds
    range_us: Optional[List[float]] = member("range_us", required=False)  # what left-out measurements deviated by
    estimator: Optional[str] = member("estimator", required=False)  # hash of the model; times of two estimators must not be compared
    bottleneck: Optional[str] = member("bottleneck", required=False)
    regime: Optional[Literal["", "launch", "bandwidth", "compute", "sync"]] = member("regime", required=False)
    cores: Optional[int] = member("cores", required=False)
    blocks: Optional[int] = member("blocks", required=False)
    baseline_us: Optional[float] = member("baseline_us", required=False)  # estimate of the framework's own launches
    baseline_range_us: Optional[List[float]] = member("baseline_range_us", required=False)
    pipes: Optional[Dict[str, Any]] = member("pipes", required=False)
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Diagnostic(Record):
    """`diagnostic` of the schema `judgement`."""

    message: str = member("message")
    file: Optional[str] = member("file", required=False)
    line: Optional[int] = member("line", required=False)
    col: Optional[int] = member("col", required=False)
    severity: Optional[str] = member("severity", required=False)
    notes: Optional[List[Any]] = member("notes", required=False)
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Provenance(Record):
    """`provenance` of the schema `judgement`."""

    task: str = member("task")
    judge: str = member("judge")
    chip: str = member("chip")
    candidate: str = member("candidate")
    host: Optional[str] = member("host", required=False)
    host_build: Optional[str] = member("host_build", required=False)
    sandbox: Optional[List[Layer]] = member("sandbox", lambda: Layer, required=False)
    device: Optional[Device] = member("device", lambda: Device, required=False)
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Edit(Record):
    """text takes the place of what lies between two places of a file; lines and columns count from 1, columns in bytes, the end is behind the last byte"""

    file: str = member("file")
    line: int = member("line")
    column: int = member("column")
    end_line: int = member("end_line")
    end_column: int = member("end_column")
    text: str = member("text")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class MergedFinding(Record):
    """`merged_finding` of the schema `judgement`."""

    code: str = member("code")  # its page: docs/diagnostics
    check: Literal["", "memcheck", "initcheck", "racecheck", "synccheck"] = member("check")
    message: str = member("message")
    fix: str = member("fix")
    place: Place = member("place", lambda: Place)
    block: int = member("block")  # -1: unknown
    memory: str = member("memory")  # UB, GM:x, …
    buffer: str = member("buffer")
    address: int = member("address")  # byte offset in that memory; negative: before its start
    bytes: int = member("bytes")
    count: int = member("count")  # times seen
    warning: bool = member("warning")  # reported, does not decide the verdict
    undecided: bool = member("undecided")  # the check was inconclusive
    cases: List[str] = member("cases")  # that have it
    other: Optional[Place] = member("other", lambda: Place, required=False)
    edits: Optional[List[Edit]] = member("edits", lambda: Edit, required=False)  # applied together they make the finding go away and bring no other: that was tried
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Measured(Record):
    """time on a real device; without `us` there is none, and `note` says why"""

    rule: Dict[str, Any] = member("rule")
    launches: int = member("launches")
    slow_clock: int = member("slow_clock")  # launches left out: below the rated frequency
    outliers: int = member("outliers")
    us: Optional[float] = member("us", required=False)  # median of the launches that count
    p10: Optional[float] = member("p10", required=False)
    p90: Optional[float] = member("p90", required=False)
    clock_mhz: Optional[float] = member("clock_mhz", required=False)
    rated_mhz: Optional[float] = member("rated_mhz", required=False)
    pipes: Optional[Dict[str, Any]] = member("pipes", required=False)
    same_outputs: Optional[bool] = member("same_outputs", required=False)  # whether the first and the last launch gave the same bytes
    note: Optional[str] = member("note", required=False)
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Rewrite(Record):
    """`rewrite` of the schema `judgement`."""

    file: str = member("file")
    line: int = member("line")
    what: str = member("what")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Layer(Record):
    """`layer` of the schema `judgement`."""

    layer: str = member("layer")
    active: bool = member("active")
    detail: str = member("detail")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Device(Record):
    """`device` of the schema `judgement`."""

    id: int = member("id")
    soc: str = member("soc")
    toolkit: str = member("toolkit")
    driver: str = member("driver")
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Judgement(Record):
    """What `akgen judge --json FILE` writes: one candidate, one task, one verdict. Schema 1."""

    schema: Literal[1] = member("schema")
    version: str = member("version")  # of the program that judged
    task: str = member("task")
    level: int = member("level")
    category: str = member("category")
    project: str = member("project")
    chip: str = member("chip")
    backend: Literal["guest", "native", "npu"] = member("backend")
    verdict: Literal["pass", "wrong_answer", "finding", "runtime_error", "timeout", "build_error", "rejected", "unsupported", "undecided", "infra_error"] = member("verdict")
    reason: str = member("reason")
    seed: int = member("seed")  # of the inputs
    precision: Literal["strict", "upstream"] = member("precision")
    range: str = member("range")  # of the range group: run and how many cases, or not run and why
    checks: List[Literal["memcheck", "initcheck", "racecheck", "synccheck"]] = member("checks")
    rewrites: List[Rewrite] = member("rewrites", lambda: Rewrite)
    build_host_ms: float = member("build_host_ms")
    build_kernel_ms: float = member("build_kernel_ms")
    provenance: Provenance = member("provenance", lambda: Provenance)
    sealed: bool = member("sealed")  # nothing that ran the candidate's code could have written this verdict
    cases: List[Case] = member("cases", lambda: Case)
    diagnostics: List[Diagnostic] = member("diagnostics", lambda: Diagnostic)
    findings: List[MergedFinding] = member("findings", lambda: MergedFinding)  # those of all cases, one of a code at one place once
    build_options: Optional[List[str]] = member("build_options", required=False)  # of the kernel, from the project's build files or asked for, where they are not the defaults: --cce-auto-sync=off, -DNAME
    lacking: Optional[List[str]] = member("lacking", required=False)  # what of Ascend C akgen does not have, where that ended the judgement
    npu: Optional[Judgement] = member("npu", lambda: Judgement, required=False)  # the same candidate and inputs on a real device, by values and time alone; never sealed
    more: Dict[str, Any] = field(default_factory=dict)
