#!/usr/bin/env python3
"""The pictures show what akgen says today. usage: pictures_test.py AKGEN REPO [--profile]

--profile: and the page of a profile can be drawn again, light and dark, in the size of the pictures that are there.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

akgen, repo, more = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]


def texts(folder):
    return {path.name: path.read_text() for path in pathlib.Path(folder).glob("*.svg")}


def sizes(folder):
    """(width, height) of each PNG."""
    return {path.name: struct.unpack(">II", path.read_bytes()[16:24]) for path in pathlib.Path(folder).glob("*.png")}


with tempfile.TemporaryDirectory() as made:
    subprocess.run([sys.executable, repo / "tools/pictures", "--akgen", akgen, "--out", made, *more], check=True)
    if texts(made) != texts(repo / "docs/pictures"):
        sys.exit("docs/pictures differs from what akgen says: run tools/pictures")
    if more:
        drawn = [path.read_bytes() for path in sorted(pathlib.Path(made).glob("profile-*.png"))]
        if len(drawn) != 2 or drawn[0] == drawn[1] or min(map(len, drawn)) < 40_000 or sizes(made) != sizes(repo / "docs/pictures"):
            sys.exit("the page of a profile is not drawn as it was: run tools/pictures --profile and look")
