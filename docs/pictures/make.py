"""Makes the picture of the README from the real output of `ken`: python3 docs/pictures/make.py PATH/TO/ken

Plays the commands of STORY in a scratch repository, on a terminal of a fixed width and at a fixed time, and writes
docs/pictures/first-minute.svg. Run it again when the output of one of these commands changes. Needs Linux or macOS, Python and git.
"""

import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

COLUMNS = 92
PICTURE = pathlib.Path(__file__).with_name("first-minute.svg")

FILES = {
    "src/client.py": (
        "import random, time\n\n"
        "def send(request, tries=3):\n"
        "    for attempt in range(tries):\n"
        "        try:\n"
        "            return request()\n"
        "        except ConnectionError:\n"
        "            time.sleep(random.uniform(0, 2 ** attempt))\n"
        "    raise ConnectionError('gave up')\n"
    ),
    "config/app.toml": "[net]\nretries = 3\n",
    "docs/outage.md": "# Outage\n\nAll clients came back in the same second.\n",
}

# Run, and not shown.
BEFORE = [
    "git init -q -b main",
    "git add -A",
    "git commit -q -m 'client: retry with jitter'",
    "ken init",
]

# Run, and shown with what they print.
STORY = [
    "ken add lesson 'Retry with full jitter, or all clients come back at once.' \\\n"
    "      --evidence docs/outage.md --anchor 'src/client.py#send' \\\n"
    "      --verify 'grep -n uniform src/client.py' --depends-on 'config/app.toml:net.retries = 3'",
    "ken search 'how should a client try again?'",
    "sed -i.old 's/random.uniform.*/1)/' src/client.py        # somebody simplifies the code",
    "sed -i.old 's/retries = 3/retries = 5/' config/app.toml  # and changes a setting",
    "ken check",
]


def run(command, folder, environment):
    """What a command prints on a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    process = subprocess.Popen(
        command, shell=True, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    output = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:
            break
        if not block:
            break
        output += block
    process.wait()
    os.close(ours)
    return output.decode().replace("\r\n", "\n").rstrip("\n")


def spans(line):
    """The parts of a line with the style that escape sequences give them: plain, bold or dim."""
    style = "plain"
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if code:
            style = {"1": "bold", "2": "dim"}.get(code.group(1), "plain")
        elif part:
            yield style, part


def picture(lines):
    """A terminal window with these lines, each a list of styles and texts."""
    width, height = COLUMNS * 8.43 + 40, len(lines) * 19 + 36
    rows = []
    for at, line in enumerate(lines):
        texts = "".join(f'<tspan class="{style}">{html.escape(text)}</tspan>' for style, text in line)
        rows.append(f'<text x="20" y="{34 + at * 19}" xml:space="preserve">{texts}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">\n'
        "<title>A lesson is added and found by a question in other words; then the code changes, and check says that "
        "the lesson no longer holds</title>\n"
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d7dce2}"
        ".bold{font-weight:bold;fill:#fff}.dim{fill:#9aa4b0}.command{fill:#8bd5a0}</style>\n"
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#1d232b"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


def main():
    ken = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch, "shop")
        for name, text in FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        # Nothing of the caller's own settings or agent host: the same picture everywhere.
        environment = {
            "PATH": f"{ken.parent}:{os.environ['PATH']}", "HOME": scratch, "TERM": "xterm-256color", "KEN_NOW": "2026-11-16T09:00:00Z",
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
        }
        for command in BEFORE:
            subprocess.run(command, shell=True, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        lines = []
        for command in STORY:
            prompt = ("$ " + command).split("\n")
            lines += [[("command", line)] for line in prompt]
            output = run(command, folder, environment)
            lines += [list(spans(line)) for line in output.split("\n")] if output else []
        PICTURE.write_text(picture(lines))
        for line in lines:
            print("".join(text for _, text in line))


main()
