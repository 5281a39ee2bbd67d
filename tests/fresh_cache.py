"""A cache that holds nothing but what is slow to make: the precompiled headers of the user's own, and the scripts of references as nodes, which
need libtorch."""
import os
import pathlib


def fresh_cache(folder):
    """Makes `folder`, where it is missing, and returns its name, for AKGEN_CACHE. The name of what is shared says which program and which
    sources made it, so an old one is never taken for a new one."""
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "akgen"
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("pch", "scripts"):
        shared = pathlib.Path(os.environ.get("AKGEN_CACHE") or home) / name
        shared.mkdir(parents=True, exist_ok=True)
        # Files are moved to their place, which works within one file system only.
        if not (folder / name).exists() and shared.stat().st_dev == folder.stat().st_dev:
            (folder / name).symlink_to(shared)
    return str(folder)
