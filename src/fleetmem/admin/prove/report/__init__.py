"""What a proof came to: for the terminal, and as a dated report in Markdown and JSON."""

import json
from dataclasses import asdict
from pathlib import Path

from fleetmem.admin.postgres.place import own_directory, private_file
from fleetmem.admin.prove.proof import Proof
from fleetmem.admin.prove.report.markdown import markdown
from fleetmem.admin.prove.report.terminal import terminal

__all__ = ["as_json", "terminal", "write"]


def as_json(proof: Proof) -> str:
    """Write a proof as one JSON document; it holds no token, no key and no one's record."""
    document = {
        "run": proof.run,
        "server": proof.server,
        "started_at": proof.started_at.isoformat(),
        "took_s": round(proof.took_s, 1),
        "holds": proof.holds,
        "left": asdict(proof.left),
        "verdicts": [asdict(verdict) for verdict in proof.verdicts],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def write(proof: Proof, folder: Path) -> Path:
    """Write both reports into a folder, readable by its owner alone; returns the Markdown one's path."""
    own_directory(folder.parent)
    own_directory(folder)
    name = f"prove-{proof.started_at:%Y%m%dT%H%M%SZ}"
    private_file(folder / f"{name}.json", as_json(proof) + "\n")
    path = folder / f"{name}.md"
    private_file(path, markdown(proof))
    return path
