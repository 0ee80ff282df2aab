"""The HTTP API against its own document: requests that keep to it and requests that do not.

Every answer must be one that the document names, with the type and the schema it gives, and none may be a server error.
Called with the path of `ken` and, optionally, the seconds it may take.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# They commit, and write files of the scratch repository, which is of no use here and slow.
LEFT_OUT = r".*/(commit|flush)$"


def main() -> int:
    ken, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "20"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("KEN_", "CLAUDE"))},
            "HOME": folder,
            "KEN_GLOBAL": str(root / "global"),
            "KEN_BACKGROUND": "0",
        }

        def run(*words: str) -> str:
            return subprocess.run(words, cwd=root, env=environment, check=True, capture_output=True, text=True).stdout

        run("git", "init", "--quiet", ".")
        run("git", "config", "user.name", "Ada")
        run("git", "config", "user.email", "ada@example.org")
        (root / "net.rs").write_text("fn main() {}\n")
        run("git", "add", "net.rs")
        run("git", "commit", "--quiet", "--message", "begin")
        run(ken, "init")
        statement = "Retry network calls with jitter, or all clients come back at once."
        run(ken, "add", "lesson", statement, "--evidence", "pr:1", "--anchor", "net.rs", "--verify", "look")
        token = json.loads(run(ken, "token", "add", "fuzz", "--role", "writer", "--json"))["token"]
        server = subprocess.Popen(
            [ken, "serve", "--listen", "127.0.0.1:0"],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            address = server.stdout.readline().strip().split("/login")[0]
            tried = subprocess.run(
                [
                    sys.executable, "-m", "schemathesis.cli", "run", f"{address}/api/v1/openapi.json",
                    "--header", f"Authorization: Bearer {token}",
                    "--checks", CHECKS,
                    "--phases", "coverage,fuzzing",
                    "--exclude-path-regex", LEFT_OUT,
                    "--max-examples", "10",
                    "--max-time", seconds,
                    "--request-timeout", "60",
                    "--continue-on-failure",
                    "--no-color",
                    "--warnings", "off",
                ],
                cwd=root,
                env=environment,
                capture_output=True,
                text=True,
            )
        finally:
            server.terminate()
            server.wait()
        # The store has to have survived it.
        run(ken, "verify")
    summary = tried.stdout[tried.stdout.find("= SUMMARY ="):] if tried.returncode == 0 else tried.stdout + tried.stderr
    print(summary.strip())
    return tried.returncode


if __name__ == "__main__":
    sys.exit(main())
