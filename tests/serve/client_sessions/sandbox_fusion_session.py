"""SandboxFusion's client."""
import sandbox_fusion
from common import BUILD, FINDING, RIGHT, UNSUPPORTED, URL, raises, same
from sandbox_fusion import RunCodeRequest, run_code, run_concurrent

sandbox_fusion.set_sandbox_endpoint(URL)


def run(code, stdin):
    return run_code(RunCodeRequest(code=code, language="cpp", stdin=stdin, run_timeout=60), max_attempts=1)


same((run(RIGHT, "Sqrt#case0").status, run(RIGHT, "Sqrt#case0").run_result.stdout), ("Success", "PASS\n"), "a right one")
same((run(FINDING, "Sqrt").status, run(FINDING, "Sqrt").run_result.return_code), ("Failed", 1), "a finding")
same((run(BUILD, "Sqrt").status, run(BUILD, "Sqrt").compile_result.return_code), ("Failed", 1), "a build error")
raises(Exception, lambda: run(UNSUPPORTED, "UnalignAdd"), "an unsupported kernel")
codes = [RIGHT, FINDING] * 8
got = run_concurrent(run_code, args=[[RunCodeRequest(code=c, language="cpp", stdin="Sqrt", run_timeout=60)] for c in codes])
same([r.status for r in got], ["Success", "Failed"] * 8, "concurrently")
