#!/usr/bin/env python3
"""The pictures show what akgen says today. usage: pictures_test.py AKGEN REPO"""
import pathlib
import subprocess
import sys
import tempfile

akgen, repo = sys.argv[1], pathlib.Path(sys.argv[2])
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, repo / "tools/pictures", "--akgen", akgen, "--out", folder], check=True)
    made = {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}
there = {path.name: path.read_text() for path in (repo / "docs/pictures").iterdir()}
if made != there:
    sys.exit("docs/pictures differs from what akgen says: run tools/pictures")
