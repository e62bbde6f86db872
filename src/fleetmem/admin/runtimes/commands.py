"""The agents' real command lines: found, or installed from npm into a cache of their own, and run for one turn.

They run with an environment made for the occasion (a home of their own, no key, no proxy) against a model on loopback.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fleetmem import config
from fleetmem.memory.target import Target

CODEX = "0.111.0"
CLAUDE_CODE = "2.1.197"
_PACKAGES = {Target.CODEX: f"@openai/codex@{CODEX}", Target.CLAUDE_CODE: f"@anthropic-ai/claude-code@{CLAUDE_CODE}"}
_VERSIONS = {Target.CODEX: CODEX, Target.CLAUDE_CODE: CLAUDE_CODE}
_COMMANDS = {Target.CODEX: "codex", Target.CLAUDE_CODE: "claude"}
# The binary itself: npm's own link leads to a script that a later step of the installation would have to finish.
_BINARIES = {Target.CODEX: "@openai/codex/bin/codex.js", Target.CLAUDE_CODE: "@anthropic-ai/claude-code-*/claude"}
# Enough for a download of 250 MB on a fair line; without a registry, npm gives up long before.
_INSTALL_S = 50
_TURN_S = 60


class Unavailable(Exception):  # noqa: N818 -- what is so, not what went wrong
    """The command line is not here and cannot be fetched: there is no npm, or no registry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """One command line, its version, and a home that it may fill."""

    target: Target
    program: Path
    version: str
    home: Path

    def environment(self, model_url: str) -> dict[str, str]:
        """Return all that the program is told; nothing of ours is inherited but where programs are."""
        told = {"PATH": config.program_path(), "HOME": str(self.home)}
        if self.target is Target.CODEX:
            return told | {"CODEX_HOME": str(self.home)}
        return told | {
            "CLAUDE_CONFIG_DIR": str(self.home / "claude"),
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": "none",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def turn(self, folder: Path, model_url: str, prompt: str = "hello") -> None:
        """Run one turn in a folder.

        Raises:
            RuntimeError: the program failed, with the end of what it said.
        """
        command = [str(self.program), "exec", "--json", "--skip-git-repo-check", prompt]
        if self.target is Target.CODEX:
            _configure_codex(self.home, model_url)
        else:
            command = [str(self.program), "-p", prompt, "--output-format", "json"]
        ended = subprocess.run(
            command,
            cwd=folder,
            env=self.environment(model_url),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TURN_S,
            check=False,
        )
        if ended.returncode:
            raise RuntimeError(f"{command[0]} ended with {ended.returncode}: {(ended.stdout + ended.stderr)[-500:]}")

    def skills(self, folder: Path) -> dict[str, str]:
        """Return Codex's own list of skills for a folder: name to scope (`repo`, `user`, `system`)."""
        said = [
            _call(0, "initialize", clientInfo={"name": "fleetmem", "title": "fleetmem", "version": "0"}),
            {"jsonrpc": "2.0", "method": "initialized"},
            _call(1, "skills/list", cwds=[str(folder)]),
        ]
        with subprocess.Popen(
            [self.program, "app-server"],
            env=self.environment(""),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            assert server.stdin is not None  # noqa: S101 -- for the reader of types
            assert server.stdout is not None  # noqa: S101
            server.stdin.write("".join(json.dumps(each) + "\n" for each in said))
            server.stdin.flush()
            try:
                answer = next(each for each in map(json.loads, server.stdout) if each.get("id") == 1)
            finally:
                server.kill()
        return {each["name"]: each["scope"] for entry in answer["result"]["data"] for each in entry["skills"]}


def fetch(target: Target, home: Path) -> Runtime:
    """Find a runtime of exactly the version that was measured, or install it.

    Raises:
        Unavailable: neither is possible; the message says why.
    """
    program = _cached(target) or _on_the_path(target) or _installed(target)
    return Runtime(target=target, program=program, version=_version(program), home=home)


def _cache(target: Target) -> Path:
    return config.cache_folder() / f"{target}-{_VERSIONS[target]}"


def _cached(target: Target) -> Path | None:
    return next(_cache(target).glob(f"node_modules/{_BINARIES[target]}"), None)


def _on_the_path(target: Target) -> Path | None:
    found = shutil.which(_COMMANDS[target])
    return Path(found) if found and _VERSIONS[target] in _version(Path(found)) else None


def _installed(target: Target) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable(f"{_COMMANDS[target]} {_VERSIONS[target]} is not here, and there is no npm to install it")
    cache = _cache(target)
    cache.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache.parent) as draft:
        command = [
            npm,
            "install",
            "--prefix",
            draft,
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--fetch-retries=1",
            _PACKAGES[target],
        ]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise Unavailable(f"npm did not install {_PACKAGES[target]} within {_INSTALL_S} s") from error
        if ended.returncode:
            said = " ".join(ended.stderr.replace("npm error", "").split())
            raise Unavailable(f"npm cannot install {_PACKAGES[target]}: {said[:300]}")
        if not cache.exists():
            Path(draft, "node_modules").rename(_made(cache) / "node_modules")
    program = _cached(target)
    if program is None:
        raise Unavailable(f"{_PACKAGES[target]} has no program for this system")
    return program


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def _version(program: Path) -> str:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_TURN_S, check=False)
    return said.stdout.strip()


def _configure_codex(home: Path, model_url: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(
        'model = "loopback"\n'
        'model_provider = "loopback"\n'
        "[model_providers.loopback]\n"
        'name = "loopback"\n'
        f'base_url = "{model_url}/v1"\n'
        'wire_api = "responses"\n',
        encoding="utf-8",
    )


def _call(number: int, method: str, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
