"""Builds the wheel (PEP 517) with the standard library alone, so that nothing has to be downloaded for it.

The version is the project's, out of src/base/version.h.
"""
import base64
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUMMARY = "Verdicts and rewards for Ascend C kernels, from a server of akgen's or from a child process"
WHEN = (2026, 1, 1, 0, 0, 0)  # of every file, so that equal sources give equal wheels


def version():
    with open(os.path.join(HERE, "..", "src", "base", "version.h"), encoding="utf-8") as f:
        return re.search(r'kVersion = "([0-9.]+)"', f.read()).group(1)


def sources():
    for folder, folders, names in os.walk(os.path.join(HERE, "akgen")):
        folders[:] = sorted(d for d in folders if d != "__pycache__")
        for name in sorted(names):
            if name.endswith((".py", ".typed")):
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    yield os.path.relpath(path, HERE).replace(os.sep, "/"), f.read()


def metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        return (f"Metadata-Version: 2.1\nName: akgen\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
                f"Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n{f.read()}").encode()


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"akgen-{version()}.dist-info"
    wheel = b"Wheel-Version: 1.0\nGenerator: akgen\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = [*sources(), (f"{info}/METADATA", metadata()), (f"{info}/WHEEL", wheel)]
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files) + f"{info}/RECORD,,\n"
    name = f"akgen-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in [*files, (f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(path, WHEN)
            entry.external_attr = 0o644 << 16
            z.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name
