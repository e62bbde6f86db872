#!/bin/sh
# Show with the real Claude Code command line that landed memory reaches the agent it is for, and no other. Needs no API key;
# npm installs the command line into a cache of its own unless it is there. Exit: 0 held, 1 broken, 69 nothing to try.
set -eu
cd "$(dirname "$0")/.."
python=.venv/bin/python
[ -x "$python" ] || python=python3
exec "$python" -m scripts.verify_skills claude-code
