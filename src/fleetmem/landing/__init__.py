"""The only writer of governed bytes into workspaces.

A memory that this package never wrote cannot be read, so it is small enough to read in one sitting, in this order:
`files` reaches a workspace's files one component at a time and never through a link, `hold` opens a workspace for one
lander at a time, `premises` says which workspaces are fit, `lander` writes, takes away and reads back, `standing` says
whether what was written is still there. What is written where, and what is refused, is told in docs/landing.md.
"""

from fleetmem.landing.hold import Workspace
from fleetmem.landing.lander import Landed, Memory, Preview, Removal, instruct, land, mentions, preview, remove
from fleetmem.landing.premises import faults, is_foreign, nested, prepare
from fleetmem.landing.skills import skills
from fleetmem.landing.standing import Standing, available, inspect

__all__ = [
    "Landed",
    "Memory",
    "Preview",
    "Removal",
    "Standing",
    "Workspace",
    "available",
    "faults",
    "inspect",
    "instruct",
    "is_foreign",
    "land",
    "mentions",
    "nested",
    "prepare",
    "preview",
    "remove",
    "skills",
]
