"""A hook of MkDocs: what links out of docs/ leads nowhere on the site, so only its words stay."""
import os
import re

LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s]+)\)")


def on_page_markdown(markdown, page, config, files, **_):
    def keep(match):
        target = match.group(2).partition("#")[0]
        if not target or re.match(r"[a-z]+:", target):
            return match.group(0)
        path = os.path.normpath(os.path.join(os.path.dirname(page.file.src_uri), target))
        return match.group(0) if files.get_file_from_path(path) else match.group(1)

    return LINK.sub(keep, markdown)
