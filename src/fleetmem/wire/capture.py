"""What any captured text or count may be, whatever record it is a part of."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from fleetmem.board import capture

# Lengths of what is captured are the handler's to judge, after the text was tidied.
Captured = Annotated[str, Meta(description="Text as it came; terminal codes are dropped, other controls replaced.")]
Tokens = Annotated[int, Meta(ge=0, le=capture.MOST_TOKENS)]
