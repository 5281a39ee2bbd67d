"""A cache that holds nothing but the precompiled headers of the user's own, which take a second to make."""
import os
import pathlib


def fresh_cache(folder):
    """Makes `folder`, where it is missing, and returns its name, for AKGEN_CACHE. A header's name says which builder and which sources made it,
    so an old one is never taken for a new one."""
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "akgen"
    shared, folder = pathlib.Path(os.environ.get("AKGEN_CACHE") or home) / "pch", pathlib.Path(folder)
    shared.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    # Headers are moved to their place, which works within one file system only.
    if not (folder / "pch").exists() and shared.stat().st_dev == folder.stat().st_dev:
        (folder / "pch").symlink_to(shared)
    return str(folder)
