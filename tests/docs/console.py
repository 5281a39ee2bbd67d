"""The ```console blocks of a page: commands behind `$ `, and what they print.

All of a page run in one shell, in order. Times, and seeds that were drawn, may differ; a line `…` stands for any lines, and `…` in a line for any text.
"""
import re
import subprocess

BLOCK = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
MARK = "\x01ended"
BROKEN = (2, 3, 126, 127)  # usage error, internal error, no such command


def commands(page):
    """[(command, what the page shows)]"""
    found = []
    for block in BLOCK.findall(page):
        continued = False
        for line in block.splitlines():
            if continued:
                found[-1][0] += "\n" + line
            elif line.startswith("$ "):
                found.append([line[2:], []])
            else:
                found[-1][1].append(line)
            continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    return found


def plain(line):
    line = re.sub(r"\d+(\.\d+)?( (?:ms|s|tok/s|evaluations a second)\b|/s\b)", r"#\2", line)
    return re.sub(r"\s+", " ", re.sub(r"--seed \d{6,}", "--seed #", line)).strip()


def agrees(shown, said):
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else ".*".join(map(re.escape, plain(line).split("…"))) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in said)) is not None


def run(page, folder, environment):
    """What differs, a text each."""
    wanted = commands(page)
    script = "".join(f"{command}\nprintf '\\n{MARK} %s\\n' $?\n" for command, _ in wanted)
    done = subprocess.run(["bash", "-c", script + "kill $(jobs -p) 2>/dev/null"], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    parts = re.split(rf"\n?{MARK} (\d+)\n", done.stdout)
    wrong = [] if len(parts) > 2 * len(wanted) else [f"the shell ended early: {done.stdout[-500:]}"]
    for (command, shown), said, code in zip(wanted, parts[::2], parts[1::2]):
        lines = said.splitlines()
        if int(code) in BROKEN:
            wrong.append(f"$ {command}\nends with {code}:\n{said}")
        elif not agrees(shown, lines):
            wrong.append(f"$ {command}\nshows\n" + "\n".join(shown) + "\nbut says\n" + said)
    return wrong
