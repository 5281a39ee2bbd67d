"""Builds wheel, source distribution and editable install (PEP 517, PEP 660) with the standard library alone, so that nothing has to be downloaded for it.

The version is the project's, out of src/base/version.h; a source distribution has it in PKG-INFO.
"""
import base64
import gzip
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUMMARY = "Verdicts and rewards for Ascend C kernels, from a server of akgen's or from a child process"
WHEN = (2026, 1, 1, 0, 0, 0)  # of every file, so that equal sources give equal archives
WHEN_S = 1767225600
ENTRY_POINTS = b"[torch_dynamo_backends]\nakgen = akgen.backend:torch_backend\n"
VERSION_FILE = "akgen/_version.py"


def read(*parts):
    with open(os.path.join(HERE, *parts), "rb") as f:
        return f.read()


def version():
    try:
        return re.search(rb'kVersion = "([0-9.]+)"', read("..", "src", "base", "version.h")).group(1).decode()
    except FileNotFoundError:
        return re.search(rb"^Version: ([0-9.]+)$", read("PKG-INFO"), re.MULTILINE).group(1).decode()


def license_text():
    for parts in (("LICENSE",), ("..", "LICENSE")):
        try:
            return read(*parts)
        except FileNotFoundError:
            continue
    raise FileNotFoundError("LICENSE")


def sources():
    for folder, folders, names in os.walk(os.path.join(HERE, "akgen")):
        folders[:] = sorted(d for d in folders if d != "__pycache__")
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), HERE).replace(os.sep, "/")
            if name.endswith((".py", ".typed")) and path != VERSION_FILE:
                yield path, read(path)
    yield VERSION_FILE, f'__version__ = "{version()}"\n'.encode()


def metadata():
    return (f"Metadata-Version: 2.1\nName: akgen\nVersion: {version()}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nProvides-Extra: ray\nRequires-Dist: ray>=2.9; extra == 'ray'\n"
            f"Description-Content-Type: text/markdown\n\n{read('README.md').decode()}").encode()


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def info():
    return f"akgen-{version()}.dist-info"


def write_wheel(folder, files, tag="", platform="any", entry_points=ENTRY_POINTS):
    """Files: (path, bytes), and the mode where it is not 0644."""
    pure = "true" if platform == "any" else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: akgen\nRoot-Is-Purelib: {pure}\nTag: py3-none-{platform}\n".encode()
    files = [*files, (f"{info()}/METADATA", metadata()), (f"{info()}/WHEEL", wheel), (f"{info()}/entry_points.txt", entry_points), (f"{info()}/licenses/LICENSE", license_text())]
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data, *_ in files) + f"{info()}/RECORD,,\n"
    name = f"akgen-{version()}-{tag}py3-none-{platform}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as z:
        for path, data, *mode in [*files, (f"{info()}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(path, WHEN)
            entry.external_attr = (0o100000 | (mode[0] if mode else 0o644)) << 16
            z.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package stays where it is; its version is read from the sources."""
    return write_wheel(wheel_directory, [("akgen_editable.pth", (HERE + "\n").encode())], tag="0.editable-")


def build_sdist(sdist_directory, config_settings=None):
    base = f"akgen-{version()}"
    files = [*sources(), ("PKG-INFO", metadata()), ("LICENSE", license_text()), *((name, read(name)) for name in ("README.md", "pyproject.toml", "build_wheel.py"))]
    name = f"{base}.tar.gz"
    with open(os.path.join(sdist_directory, name), "wb") as f, gzip.GzipFile("", "wb", mtime=WHEN_S, fileobj=f) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, data in sorted(files):
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size, entry.mtime, entry.mode = len(data), WHEN_S, 0o644
            tar.addfile(entry, io.BytesIO(data))
    return name
