"""The stand-in toolkit (toolkit/), installed as the vendor's is."""
import os
import pathlib
import subprocess

TOOLKIT = pathlib.Path(__file__).resolve().parent / "toolkit"


def toolkit_at(home, runtime, version="8.3.RC1"):
    """A toolkit at `home`; `runtime`: the stand-in for libascendcl.so."""
    (home / "bin").mkdir(parents=True)
    (home / "lib64").mkdir()
    (home / "x86_64-linux").mkdir()
    for program in ("bisheng", "msopprof"):
        (home / "bin" / program).symlink_to(TOOLKIT / program)
    (home / "lib64/libascendcl.so").symlink_to(runtime)
    # The vendor's own operators: one has the name of what akgen looks up, and computes the right values.
    subprocess.run(["cc", "-shared", "-fPIC", "-DVENDOR", str(TOOLKIT / "kernels.c"), "-o", str(home / "lib64/libopapi.so")], check=True)
    (home / "x86_64-linux/ascend_toolkit_install.info").write_text(f"package_name=Ascend-cann-toolkit\nversion={version}\n")
    (home / "driver").mkdir()
    (home / "driver/version.info").write_text("Version=25.0.rc1\n")
    return home


def devices_of(test, count=3):
    """Numbers of devices that no other test has, and their locks removed when the class `test` is done."""
    numbers = [str(10 * os.getpid() + k) for k in range(count)]
    for number in numbers:
        test.addClassCleanup(lambda lock=pathlib.Path(f"/tmp/akgen-npu-{number}.lock"): lock.unlink(missing_ok=True))
    return numbers


def processes_of(log):
    """Running ones of programs of the device whose environment names the log."""
    out = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "cmdline").read_bytes()
            if (b"akgen-device" in name or b"msopprof" in name) and log.encode() in (process / "environ").read_bytes():
                out.append((process.name, name))
        except OSError:
            continue
    return out
