"""How notes, incidents and what an agent knew are written on a terminal: every stored text behind a bar, and unable to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fleetmem import wire
from fleetmem.cli.show import line, moment, quoted, table


def notes(found: Sequence[wire.NoteLine]) -> str:
    """Write a list of notes, a line each."""
    head = ("NOTE", "STATUS", "TEAM", "FOR", "BECAUSE", "ABOUT")
    rows = (
        (
            str(each.id),
            each.status,
            each.team,
            " ".join(each.recipients),
            each.withheld_because or " ".join(each.reasons),
            each.description,
        )
        for each in found
    )
    return table(head, rows)


def note(each: wire.NoteDetail) -> str:
    """Write a page that one can decide on: what it says and where from, who gets it and who not, and the exact bytes."""
    return "\n".join((*_head(each), *_texts(each), *_sources(each), *recipients(each), *_denied(each), *_story(each)))


def recipients(each: wire.NoteDetail) -> Iterator[str]:
    """Write what would be written where, for each recipient."""
    previews = {preview.agent: preview for preview in each.previews}
    yield "  would receive it:" if each.granted else "  nobody would receive it"
    for grant in each.granted:
        score = "" if grant.score is None else f" {grant.score:.2f}"
        place = "always loaded" if each.severity == "severe" else f"skill {line(grant.skill or each.skill_key)}"
        new = " (new)" if grant.new_skill and each.severity != "severe" else ""
        yield f"    {line(grant.agent)}  {grant.match}{score}, {place}{new}"
        if each.status == "candidate":
            yield from _preview(previews.get(grant.agent))


def decision(each: wire.NoteDecision) -> str:
    """Write where a note stands after a decision."""
    if each.status != "candidate":
        return f"Note {each.id} is {each.status} at revision {each.revision}."
    given, needed = len(each.signed), each.signatures_needed
    if given and given < needed:
        return f"Note {each.id} waits for another reviewer: {given} of {needed} have signed ({_names(each.signed)})."
    return f"Note {each.id} is at revision {each.revision}; what would be written is being worked out anew."


def recall(each: wire.Recall) -> str:
    """Write who held a note, whether it is gone, and what they wrote meanwhile."""
    parts = [f"Note {each.id} is {each.status} since {moment(each.decided_at)}"]
    if not each.holders:
        parts.append("  It was never in a workspace.")
    for holder in each.holders:
        gone = f"gone since {moment(holder.gone_at)}" if holder.gone_at else f"NOT GONE YET ({holder.status})"
        parts.append(f"  {line(holder.agent)} held it since {moment(holder.held_since)}; {gone}")
        parts += (
            f"    {moment(wrote.at)}  {wrote.kind}  {wrote.id}  for {_names(wrote.audiences)}" for wrote in holder.wrote
        )
        if holder.wrote_in_all > len(holder.wrote):
            parts.append(f"    and {holder.wrote_in_all - len(holder.wrote)} records later than these")
    return "\n".join(parts)


def incidents(found: Sequence[wire.Incident]) -> str:
    """Write a list of incidents, a line each."""
    head = ("INCIDENT", "OPENED", "STATUS", "KIND", "NOTE", "AGENT", "WHAT")
    rows = (
        (
            str(each.id),
            moment(each.opened_at),
            each.status,
            each.kind,
            str(each.note or ""),
            each.agent or "",
            " ".join((each.detail, *(f"[{rule}]" for rule in each.rules))),
        )
        for each in found
    )
    return table(head, rows)


def rows(found: Iterable[wire.LedgerRow]) -> str:
    """Write rows of the ledger, a line each."""
    head = ("ROW", "AT", "EVENT", "NOTE", "AGENT", "BY", "REASON")
    lines = (
        (
            str(each.seq),
            moment(each.at),
            each.event,
            str(each.note or ""),
            each.agent or "",
            each.actor,
            each.reason or "",
        )
        for each in found
    )
    return table(head, lines)


def explanation(each: wire.Explanation) -> str:
    """Write what an agent knew at a moment, what it was denied and why, and what had been taken back."""
    parts = [f"{line(each.agent)}, as of {moment(each.at)}"]
    parts += _section(
        "knew", (f"{known.note}  since {moment(known.since)}: {line(known.description)}" for known in each.known)
    )
    parts += _section(
        "was denied",
        (
            f"{denied.note}  {line(denied.reason)}, since {moment(denied.since)}: {line(denied.description)}"
            for denied in each.denied
        ),
    )
    parts += _section("had taken back", map(_revoked, each.revoked))
    parts += _section(
        "had granted and not in its workspace",
        (
            f"{other.note}  {other.state}{f' ({line(other.reason)})' if other.reason else ''}, since"
            f" {moment(other.since)}: {line(other.description)}"
            for other in each.unsettled
        ),
    )
    return "\n".join(parts)


def _head(each: wire.NoteDetail) -> Iterator[str]:
    yield f"{line(each.description)}  [{each.status}, revision {each.revision}]"
    yield f"  {each.id}  of team {line(each.team)}, {each.severity}, proposed {moment(each.created_at)} by {line(each.extractor)}"
    yield f"  for those who read {_names(each.audiences)}"
    if each.withheld_because:
        yield f"  WITHHELD: {line(each.withheld_because)}"
    if each.reasons:
        yield f"  a person must look: {_names(each.reasons)}"
    if each.supersedes:
        yield f"  corrects {each.supersedes}, which it would replace"
    if each.redacted_by:
        yield f"  REDACTED by {_names(each.redacted_by)}"
    if each.quarantined_by:
        yield f"  QUARANTINED by {_names(each.quarantined_by)}"
    if not (each.redacted_by or each.quarantined_by):
        yield f"  safety found nothing (policy {line(each.policy_version)})"


def _texts(each: wire.NoteDetail) -> Iterator[str]:
    yield "  it says:"
    yield quoted(each.content)
    if each.rationale:
        yield "  because:"
        yield quoted(each.rationale)


def _sources(each: wire.NoteDetail) -> Iterator[str]:
    yield "  it was distilled from:" if each.sources else "  it cites nothing"
    for source in each.sources:
        step = "" if source.span is None else f" step {source.span}"
        cut = f", {source.characters} characters" if source.characters > len(source.excerpt) else ""
        kind = source.kind.replace("_", " ")
        yield f"    {kind} {source.id}{step} by {line(source.agent)} for {line(source.audience)}, {moment(source.at)}{cut}"
        yield quoted(source.excerpt)


def _preview(preview: wire.LandingPreview | None) -> Iterator[str]:
    if preview is None:
        yield "      what would be written is not known yet"
    elif preview.refused is not None:
        yield f"      WOULD BE REFUSED: {line(preview.refused)}"
    else:
        yield f"      {line(preview.path or '')}{' (a new file)' if preview.is_new else ''}, as of {moment(preview.made_at)}:"
        yield quoted(preview.after or "")


def _denied(each: wire.NoteDetail) -> Iterator[str]:
    if each.denied:
        yield "  would not receive it:"
    for denial in each.denied:
        score = "" if denial.score is None else f" ({denial.score:.2f})"
        yield f"    {line(denial.agent)}  {denial.reason}{score}"


def _story(each: wire.NoteDetail) -> Iterator[str]:
    for review in each.reviews:
        said = f": {line(review.remark)}" if review.remark else ""
        yield f"  {moment(review.at)}  {line(review.reviewer)}: {review.decision} at revision {review.revision}{said}"
    for landing in each.landings:
        why = f" ({line(landing.reason)})" if landing.reason else ""
        yield f"  {line(landing.agent)}: {landing.status}{why} {line(landing.path or '')}".rstrip()
    for incident in each.incidents:
        yield f"  incident {incident.id}, {incident.status}: {line(incident.detail)}"
    if each.status == "candidate":
        yield f"  signed by {len(each.signed)} of {each.signatures_needed}{f': {_names(each.signed)}' if each.signed else ''}"
        yield f"  to approve what stands here: fleetmem review approve {each.id} --revision {each.revision}"


def _revoked(each: wire.RevokedNote) -> str:
    gone = f"gone {moment(each.gone_at)}" if each.gone_at else "NOT GONE YET"
    why = f" ({line(each.reason)})" if each.reason else ""
    return f"{each.note}  known from {moment(each.known_since)}, revoked {moment(each.since)}{why}, {gone}: {line(each.description)}"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    found = [f"    {each}" for each in lines]
    return [f"  {title}:", *found] if found else [f"  {title}: nothing"]


def _names(found: Iterable[str]) -> str:
    return ", ".join(map(line, found)) or "nobody"
