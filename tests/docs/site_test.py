#!/usr/bin/env python3
"""The site of the documents builds without a warning. usage: site_test.py REPO"""
import pathlib
import subprocess
import sys
import tempfile
import venv

repo = pathlib.Path(sys.argv[1]).resolve()
with tempfile.TemporaryDirectory() as folder:
    venv.create(f"{folder}/venv", with_pip=True)
    subprocess.run([f"{folder}/venv/bin/pip", "install", "-q", "mkdocs-material<10"], check=True)
    done = subprocess.run([f"{folder}/venv/bin/mkdocs", "build", "--strict", "-f", repo / "mkdocs.yml", "-d", f"{folder}/site"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout[-4000:])
    pages = len(list(pathlib.Path(folder).glob("site/**/index.html")))
    print(f"{pages} pages")
    sys.exit(done.returncode or any(line.startswith("WARNING") for line in done.stdout.splitlines()) or pages < 30)
