"""What is really in the database after all that, held against what the agents were promised."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from tests.faults.load import Notes, Write, is_whole

_BEATS: Final = "select body, id, author, audience, ended_at from fleet.beat"
_HANDOFFS: Final = "select request, id, sender, audience, recipient from fleet.handoff"
# A record without its remembered answer, or the answer without its record: half a write.
_HALVES: Final = """
with answers as materialized (
  select principal, key, answer::json ->> 'id' as id from fleet.idempotency where status = 201
), records as materialized (
  select id::text, author as who from fleet.beat union all select id::text, sender from fleet.handoff
)
select 'a record without its answer', r.id
  from records r left join answers a on a.id = r.id and a.principal = r.who where a.id is null
union all
select 'an answer without its record', a.key
  from answers a left join records r on r.id = a.id where r.id is null
union all
select 'a handoff whose history does not lead to its status', h.id::text
  from fleet.handoff h
 where (array['open', 'accepted', 'done'])[1:array_position(array['open', 'accepted', 'done'], h.status)]
       is distinct from array(select t.to_status from fleet.handoff_transition t where t.handoff = h.id order by t.id)
union all
select 'a move without its answer', t.id::text
  from fleet.handoff_transition t
 where t.from_status is not null and not exists (
       select from fleet.idempotency i
        where i.principal = t.made_by and i.key = left(t.to_status, 1) || '-' || t.handoff)
union all
select 'a topic with two live beats, or none', author || ': ' || topic_key
  from fleet.beat group by author, topic_key having count(*) filter (where ended_at is null) <> 1
"""
_MOVES: Final = "select handoff, to_status, made_by from fleet.handoff_transition where from_status is not null"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found wrong, in sentences; none where every promise held. And what there was to be wrong about."""

    wrong: tuple[str, ...]
    asked: int
    acknowledged: int
    present: int

    @property
    def sentence(self) -> str:
        unsure = self.present - self.acknowledged
        return (
            f"{self.asked} writes asked for, {self.acknowledged} acknowledged and each there once, {unsure} there whole"
            f" whose answer nobody waited for, {len(self.wrong)} things wrong"
        )


def judge(owner: psycopg.Connection[Any], notes: Notes) -> Verdict:
    """Compare every row with every promise; `owner` sees past the fence."""
    beats = [*owner.execute(_BEATS).fetchall()]
    handoffs = [*owner.execute(_HANDOFFS).fetchall()]
    moves = owner.execute(_MOVES).fetchall()
    made = {(handoff, status): who for handoff, status, who in moves}
    wrong = [
        *notes.wrong,
        *_records("beat", beats, notes.beats),
        *_records("handoff", handoffs, notes.handoffs),
        *(f"{what}: {which}" for what, which in owner.execute(_HALVES)),
        *(
            f"the move {key} was promised and did not happen"
            for key, who in notes.moves.items()
            if made.get(key) != who
        ),
        *(
            f"the move {key} happened {times} times"
            for key, times in Counter(m[:2] for m in moves).items()
            if times > 1
        ),
        *(f"{row[2]} asked {row[4]}" for row in handoffs if row[4] != notes.handoffs[row[0]].to),
    ]
    return Verdict(
        wrong=tuple(wrong),
        asked=len(notes.beats) + len(notes.handoffs) + max(len(notes.moves), len(moves)),
        acknowledged=notes.acknowledged(),
        present=len(beats) + len(handoffs) + len(moves),
    )


def _records(kind: str, rows: list[Any], asked: dict[str, Write]) -> list[str]:
    wrong = []
    times = Counter(row[0] for row in rows)
    ids = {row[0]: row[1] for row in rows}
    for text, write in asked.items():
        if times[text] > 1:
            wrong.append(f"the {kind} {write.key} is there {times[text]} times")
        if write.id is not None and ids.get(text) != write.id:
            wrong.append(f"the {kind} {write.key} was acknowledged as {write.id} and is {ids.get(text, 'lost')}")
    for text, record, who, audience, *_ in rows:
        if text not in asked:
            wrong.append(f"nobody asked for the {kind} {record}")
        elif (asked[text].who, asked[text].audience) != (who, audience) or not is_whole(
            text, who=who, audience=audience
        ):
            wrong.append(f"the {kind} {record} is not as {asked[text].who} wrote it")
    return wrong
