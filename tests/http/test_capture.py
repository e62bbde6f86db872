"""Teams, tasks, messages, runs and spans over HTTP: who writes what, who reads it, and what is never taken from a body."""

import asyncio
from typing import Any

import pytest

from tests.http.fleet import Fleet, Voice, bearer, refused

ABSENT = "01981c6e-7b2f-7c11-9d6e-3f0c9a52d1e8"
SECRET = "sk-ant-api03-" + "Zk4vQ9xW2mT7bN1cR8yL5pH3dF6gJ0sA" * 2
TEAM = """
insert into fleet.team (name, description, audiences) values ('house', 'Runs the house', '{open,health}');
insert into fleet.team_member (team, agent, position) values ('house', 'health', 1), ('house', 'facilities', 2);
insert into fleet.team (name, audiences) values ('books', '{open,finance}');
insert into fleet.team_member (team, agent, position) values ('books', 'finance', 1), ('books', 'health', 2);
"""


@pytest.fixture(scope="module", autouse=True)
def _teams(fleet: Fleet) -> None:
    with fleet.owner() as owner:
        owner.execute(TEAM)


async def opened(voice: Voice, *, audience: str = "open", prompt: str = "Mend the gate.") -> str:
    answer = await voice.post("/v1/teams/house/tasks", {"prompt": prompt, "audience": audience})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def running(voice: Voice, task: str, **further: object) -> str:
    answer = await voice.post("/v1/runs", {"task": task, **further})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def said(voice: Voice, body: str, **further: object) -> dict[str, Any]:
    answer = await voice.post("/v1/teams/house/messages", {"body": body, "audience": "open", **further})
    assert answer.status_code == 201, answer.text
    posted: dict[str, Any] = answer.json()
    return posted


def spans(*numbers: int, **further: object) -> dict[str, object]:
    return {
        "spans": [{"seq": seq, "kind": "tool", "name": "shell", "body": f"step {seq}", **further} for seq in numbers]
    }


async def test_a_member_sees_its_teams_and_their_members_and_nobody_else_sees_any(
    health: Voice, facilities: Voice, maintenance: Voice
) -> None:
    mine = (await facilities.get("/v1/teams")).json()["items"]
    assert [team["name"] for team in mine] == ["house"]
    assert mine[0]["audiences"] == ["open", "health"]
    assert mine[0]["members"] == [
        {"name": "health", "description": "Looks after health."},
        {"name": "facilities", "description": "Looks after facilities."},
    ]
    assert [team["name"] for team in (await health.get("/v1/teams")).json()["items"]] == ["books", "house"]
    assert (await maintenance.get("/v1/teams")).json() == {"items": []}


async def test_who_left_a_team_sees_it_no_more(fleet: Fleet, facilities: Voice) -> None:
    task = await opened(facilities)
    with fleet.owner() as owner:
        owner.execute("update fleet.team_member set active = false where agent = 'facilities'")
        try:
            assert (await facilities.get("/v1/teams")).json() == {"items": []}
            assert refused(await facilities.get(f"/v1/tasks/{task}"))[:2] == (404, "record.absent")
        finally:
            owner.execute("update fleet.team_member set active = true where agent = 'facilities'")
    assert (await facilities.get(f"/v1/tasks/{task}")).status_code == 200


@pytest.mark.parametrize(
    ("method", "rest", "body"),
    [
        ("GET", "tasks", None),
        ("POST", "tasks", {"prompt": "Mend it.", "audience": "open"}),
        ("GET", "messages", None),
        ("POST", "messages", {"body": "Mended.", "audience": "open"}),
    ],
)
async def test_a_strangers_team_answers_as_an_absent_one(
    facilities: Voice, method: str, rest: str, body: object
) -> None:
    answers = []
    for team in ("books", "nowhere"):
        headers = bearer(facilities.token) | {"X-Request-Id": "same"}
        answer = await facilities.client.request(method, f"/v1/teams/{team}/{rest}", headers=headers, json=body)
        answers.append((answer.status_code, sorted(answer.headers.multi_items()), answer.content))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/tasks/{task}", None),
        ("POST", "/v1/tasks/{task}/settle", {"outcome": "done"}),
        ("POST", "/v1/runs", {"task": "{task}"}),
        ("GET", "/v1/runs/{run}", None),
        ("GET", "/v1/runs/{run}/spans", None),
        ("POST", "/v1/runs/{run}/spans", {"spans": [{"seq": 1, "kind": "tool", "name": "shell"}]}),
        ("POST", "/v1/runs/{run}/settle", {"outcome": "succeeded"}),
        ("POST", "/v1/teams/house/messages", {"body": "Me too.", "audience": "open", "task": "{task}"}),
        ("POST", "/v1/teams/house/messages", {"body": "Me too.", "audience": "open", "run": "{run}"}),
    ],
)
async def test_what_is_hidden_answers_as_what_is_absent(
    health: Voice, facilities: Voice, method: str, path: str, body: dict[str, object] | None
) -> None:
    task = await opened(health, audience="health")
    run = await running(health, task)
    answers = []
    for names in ({"task": task, "run": run}, {"task": ABSENT, "run": ABSENT}):
        filled = body and {
            name: value.format(**names) if isinstance(value, str) else value for name, value in body.items()
        }
        headers = bearer(facilities.token) | {"X-Request-Id": "same"}
        answer = await facilities.client.request(method, path.format(**names), headers=headers, json=filled)
        answers.append((answer.status_code, sorted(answer.headers.multi_items()), answer.content))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


async def test_a_task_is_for_an_audience_of_the_team_that_its_opener_writes_for(
    health: Voice, facilities: Voice
) -> None:
    for voice, audience in ((facilities, "health"), (health, "finance"), (health, "nowhere")):
        answer = await voice.post("/v1/teams/house/tasks", {"prompt": "Mend it.", "audience": audience})
        assert refused(answer) == (403, "audience.not_writable", "audience", None)


@pytest.mark.parametrize("stamped", ["id", "author", "seq", "created_at", "opened_by", "team", "status"])
async def test_a_body_cannot_claim_what_is_stamped(facilities: Voice, stamped: str) -> None:
    task = await facilities.post("/v1/teams/house/tasks", {"prompt": "p", "audience": "open", stamped: "x"})
    message = await facilities.post("/v1/teams/house/messages", {"body": "b", "audience": "open", stamped: "x"})
    run = await facilities.post("/v1/runs", {"task": ABSENT, stamped: "x"})
    assert {refused(answer) for answer in (task, message, run)} == {(400, "request.invalid", stamped, "unknown")}


async def test_a_message_is_its_authors_own_and_shown_to_the_members_who_read_its_audience(
    health: Voice, facilities: Voice
) -> None:
    private = await said(health, "The doctor comes on Monday.", audience="health")
    public = await said(health, "The gate is open.", speaker="human")
    assert (private["author"], private["speaker"], public["speaker"]) == ("health", "agent", "human")
    seen = (await facilities.get("/v1/teams/house/messages", after=private["id"])).json()["items"]
    assert [message["id"] for message in seen] == [public["id"]]
    assert "seq" not in seen[0]
    both = (await health.get("/v1/teams/house/messages", limit=100)).json()["items"]
    assert {private["id"], public["id"]} <= {message["id"] for message in both}


async def test_a_list_of_messages_runs_forward_page_by_page(health: Voice, facilities: Voice) -> None:
    task = await opened(facilities)
    before = (await said(facilities, "before", task=task))["id"]
    posted = [(await said(health, f"message {each}", task=task))["id"] for each in range(5)]
    for parameters in ({"after": before}, {"task": task, "after": before}):
        found: list[str] = []
        page = (await facilities.get("/v1/teams/house/messages", limit=2, **parameters)).json()
        while True:
            found += [message["id"] for message in page["items"]]
            if page["next"] is None:
                break
            further = {name: value for name, value in parameters.items() if name != "after"}
            page = (await facilities.get("/v1/teams/house/messages", limit=2, cursor=page["next"], **further)).json()
        assert found == posted


async def test_messages_of_many_at_once_are_numbered_without_a_gap_in_the_order_of_their_commits(
    fleet: Fleet, health: Voice, facilities: Voice
) -> None:
    with fleet.owner() as owner:
        before = owner.execute("select last_seq from fleet.team where name = 'house'").fetchall()[0][0]
    voices = [health, facilities] * 25
    await asyncio.gather(*(said(voice, f"at once {each}") for each, voice in enumerate(voices)))
    with fleet.owner() as owner:
        rows = owner.execute(
            "select seq, id from fleet.message where team = 'house' and seq > %s order by seq", [before]
        )
        found = rows.fetchall()
    assert [seq for seq, _ in found] == list(range(before + 1, before + 51))
    assert [each for _, each in found] == sorted(each for _, each in found)


async def test_the_same_key_posts_once_also_at_once(fleet: Fleet, facilities: Voice) -> None:
    draft = {"body": "Said once.", "audience": "open"}
    answers = await asyncio.gather(
        *(facilities.post("/v1/teams/house/messages", draft, key="say-once") for _ in range(10))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    with fleet.owner() as owner:
        assert owner.execute("select count(*) from fleet.message where body = 'Said once.'").fetchone() == (1,)
        gap = "select last_seq - (select count(*) from fleet.message where team = name) from fleet.team where name = 'house'"
        assert owner.execute(gap).fetchone() == (0,)


async def test_a_settled_task_takes_no_message_no_run_and_no_second_end(health: Voice, facilities: Voice) -> None:
    task = await opened(facilities)
    run = await running(facilities, task)
    ended = await facilities.post(f"/v1/tasks/{task}/settle", {"outcome": "done"})
    assert (ended.status_code, ended.json()["status"]) == (200, "done")
    assert ended.json()["settled_at"] is not None
    for answer in (
        await facilities.post("/v1/teams/house/messages", {"body": "b", "audience": "open", "task": task}),
        await facilities.post("/v1/teams/house/messages", {"body": "b", "audience": "open", "run": run}),
        await health.post("/v1/runs", {"task": task}),
        await facilities.post(f"/v1/tasks/{task}/settle", {"outcome": "failed"}),
    ):
        assert refused(answer)[:2] == (409, "task.settled")
    assert (await facilities.post(f"/v1/runs/{run}/spans", spans(1))).status_code == 200


async def test_who_ran_at_a_task_may_settle_it_and_a_bystander_may_not(health: Voice, facilities: Voice) -> None:
    task = await opened(facilities)
    assert refused(await health.post(f"/v1/tasks/{task}/settle", {"outcome": "done"}))[:2] == (403, "action.forbidden")
    await running(health, task)
    assert (await health.post(f"/v1/tasks/{task}/settle", {"outcome": "done"})).status_code == 200


async def test_runs_are_numbered_by_attempt_also_when_opened_at_once(facilities: Voice, health: Voice) -> None:
    task = await opened(facilities)
    answers = await asyncio.gather(*(facilities.post("/v1/runs", {"task": task, "node": "n"}) for _ in range(8)))
    assert sorted(answer.json()["attempt"] for answer in answers) == list(range(1, 9))
    assert (await facilities.post("/v1/runs", {"task": task, "node": "other"})).json()["attempt"] == 1
    assert (await health.post("/v1/runs", {"task": task, "node": "n"})).json()["attempt"] == 1
    detail = (await health.get(f"/v1/tasks/{task}")).json()
    assert len(detail["runs"]) == 10


async def test_spans_come_while_a_run_runs_and_are_counted_when_it_is_settled(health: Voice, facilities: Voice) -> None:
    task = await opened(facilities)
    run = await running(facilities, task)
    first = await facilities.post(f"/v1/runs/{run}/spans", spans(1, 2, input_tokens=10, output_tokens=3))
    assert first.json() == {"run": run, "added": 2, "known": 0, "redacted_by": []}
    again = await facilities.post(f"/v1/runs/{run}/spans", spans(2, 3, body="changed", is_error=True))
    assert again.json() == {"run": run, "added": 1, "known": 1, "redacted_by": []}
    listed = (await health.get(f"/v1/runs/{run}/spans", limit=2)).json()
    assert [(span["seq"], span["body"]) for span in listed["items"]] == [(1, "step 1"), (2, "step 2")]
    rest = (await health.get(f"/v1/runs/{run}/spans", limit=2, cursor=listed["next"])).json()
    assert ([(span["seq"], span["is_error"]) for span in rest["items"]], rest["next"]) == ([(3, True)], None)
    ended = (await facilities.post(f"/v1/runs/{run}/settle", {"outcome": "succeeded", "output": "Mended."})).json()
    counted = {name: ended[name] for name in ("status", "spans", "errors", "input_tokens", "output_tokens")}
    assert counted == {"status": "succeeded", "spans": 3, "errors": 1, "input_tokens": 20, "output_tokens": 6}
    assert ended["duration_ms"] >= 0
    assert refused(await facilities.post(f"/v1/runs/{run}/spans", spans(4)))[:2] == (409, "run.settled")
    assert refused(await facilities.post(f"/v1/runs/{run}/settle", {"outcome": "failed"}))[:2] == (409, "run.settled")


async def test_no_span_arrives_uncounted_while_its_run_is_settled(facilities: Voice) -> None:
    task = await opened(facilities)
    for _ in range(5):
        run = await running(facilities, task)
        batches = [facilities.post(f"/v1/runs/{run}/spans", spans(*range(n, n + 40))) for n in range(1, 161, 40)]
        *added, ended = await asyncio.gather(
            *batches, facilities.post(f"/v1/runs/{run}/settle", {"outcome": "succeeded"})
        )
        taken = sum(answer.json()["added"] for answer in added if answer.status_code == 200)
        assert {answer.status_code for answer in added} <= {200, 409}
        assert ended.json()["spans"] == taken


async def test_a_run_is_written_by_its_own_agent_alone(health: Voice, facilities: Voice) -> None:
    run = await running(facilities, await opened(facilities))
    for answer in (
        await health.post(f"/v1/runs/{run}/spans", spans(1)),
        await health.post(f"/v1/runs/{run}/settle", {"outcome": "cancelled"}),
    ):
        assert refused(answer)[:2] == (403, "action.forbidden")
    foreign = await health.post("/v1/teams/house/messages", {"body": "b", "audience": "open", "run": run})
    assert refused(foreign)[:2] == (404, "record.absent")


async def test_what_a_run_was_shown_is_kept_with_its_window_and_told_to_its_agent_alone(
    fleet: Fleet, health: Voice, facilities: Voice
) -> None:
    task = await opened(facilities)
    shown = [(await said(facilities, f"shown {each}", task=task))["id"] for each in range(3)]
    injection = {"messages": shown[:2], "withheld": shown[2:], "text_sha256": "ab" * 32}
    run = await running(health, task, injection=injection)
    told = (await health.get(f"/v1/runs/{run}")).json()["injection"]
    assert {name: told[name] for name in injection} == injection
    assert (await facilities.get(f"/v1/runs/{run}")).json()["injection"] is None
    second = await running(health, task, injection={"text_sha256": "cd" * 32})
    with fleet.owner() as owner:
        seqs = [row[0] for row in owner.execute("select seq from fleet.message where task = %s order by seq", [task])]
        windows = owner.execute(
            "select from_seq_exclusive, to_seq_inclusive from fleet.context_injection where run = any (%s) order by run",
            [[run, second]],
        ).fetchall()
    assert windows[0][0] < seqs[0]
    assert windows == [(windows[0][0], seqs[2]), (seqs[2], seqs[2])]


async def test_a_run_is_not_shown_what_its_agent_may_not_read(health: Voice, facilities: Voice) -> None:
    task = await opened(facilities)
    hidden = (await said(health, "The doctor's number.", audience="health"))["id"]
    for field, ids in (
        ("messages", [hidden]),
        ("messages", [ABSENT]),
        ("dependencies", [ABSENT]),
        ("withheld", [ABSENT]),
    ):
        answer = await facilities.post("/v1/runs", {"task": task, "injection": {"text_sha256": "ab" * 32, field: ids}})
        assert refused(answer) == (400, "request.invalid", field, "of-the-team")
    assert (await facilities.get(f"/v1/tasks/{task}")).json()["runs"] == []


async def test_secrets_are_rewritten_before_they_are_kept_and_the_answer_says_by_which_rule(
    fleet: Fleet, facilities: Voice
) -> None:
    text = f"The key is {SECRET}, keep it."
    opening = await facilities.post("/v1/teams/house/tasks", {"prompt": text, "audience": "open"}, key="secret-task")
    again = await facilities.post("/v1/teams/house/tasks", {"prompt": text, "audience": "open"}, key="secret-task")
    assert opening.content == again.content
    task = opening.json()
    message = await said(facilities, text, task=task["id"])
    run = (await facilities.post("/v1/runs", {"task": task["id"], "instruction": text})).json()
    batch = await facilities.post(f"/v1/runs/{run['id']}/spans", spans(1, body=text))
    ended = (await facilities.post(f"/v1/runs/{run['id']}/settle", {"outcome": "failed", "failure": text})).json()
    span = (await facilities.get(f"/v1/runs/{run['id']}/spans")).json()["items"][0]
    for answer in (task, message, run, batch.json(), ended):
        assert answer["redacted_by"] == ["model-provider-key"]
    for kept in (task["prompt"], message["body"], run["instruction"], ended["failure"], span["body"]):
        assert kept == "The key is [REDACTED_SECRET], keep it."
    with fleet.owner() as owner:
        kept = owner.execute("select count(*) from fleet.idempotency where answer like %s", [f"%{SECRET}%"]).fetchone()
    assert kept == (0,)


async def test_what_a_terminal_would_act_on_is_kept_as_plain_text(facilities: Voice) -> None:
    run = await running(facilities, await opened(facilities))
    await facilities.post(
        f"/v1/runs/{run}/spans", spans(1, body="\x1b[31mred\x1b[0m\r\nnul \x00 end", name="sh\tell\n")
    )
    span = (await facilities.get(f"/v1/runs/{run}/spans")).json()["items"][0]
    assert (span["name"], span["body"]) == ("sh ell", "red\nnul \ufffd end")


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"seq": 0}, "spans[0].seq", "too-small"),
        ({"seq": 1_000_001}, "spans[0].seq", "too-large"),
        ({"kind": "thought"}, "spans[0].kind", "choice"),
        ({"name": " \x07"[:1]}, "spans[0].name", "empty"),
        ({"name": "n" * 201}, "spans[0].name", "too-long"),
        ({"body": "b" * 16_001}, "spans[0].body", "too-long"),
        ({"input_tokens": -1}, "spans[0].input_tokens", "too-small"),
        ({"started_at": "yesterday"}, "spans[0].started_at", "time-format"),
        ({"author": "health"}, "author", "unknown"),
    ],
)
async def test_a_batch_with_one_bad_span_is_refused_whole_and_says_which(
    facilities: Voice, change: dict[str, object], field: str, rule: str
) -> None:
    run = await running(facilities, await opened(facilities))
    bad = {"spans": [{"seq": 7, "kind": "tool", "name": "shell", **change}, *spans(8)["spans"]]}  # type: ignore[misc]
    assert refused(await facilities.post(f"/v1/runs/{run}/spans", bad)) == (400, "request.invalid", field, rule)
    assert (await facilities.get(f"/v1/runs/{run}/spans")).json()["items"] == []


async def test_a_batch_is_one_to_five_hundred_spans_each_number_once(facilities: Voice) -> None:
    run = await running(facilities, await opened(facilities))
    for numbers, field, rule in (
        ((), "spans", "empty"),
        (range(1, 502), "spans", "too-long"),
        ((1, 1), "spans[].seq", "duplicate"),
    ):
        answer = await facilities.post(f"/v1/runs/{run}/spans", spans(*numbers))
        assert refused(answer) == (400, "request.invalid", field, rule)
    longest = await facilities.post(f"/v1/runs/{run}/spans", spans(*range(1, 501), body="x" * 1_500))
    assert longest.json()["added"] == 500


@pytest.mark.parametrize(
    ("path", "body", "field", "rule"),
    [
        ("/v1/teams/house/tasks", {"prompt": " \n", "audience": "open"}, "prompt", "empty"),
        ("/v1/teams/house/tasks", {"prompt": "p" * 32_001, "audience": "open"}, "prompt", "too-long"),
        ("/v1/teams/house/messages", {"body": "\x00", "audience": "open", "speaker": "owner"}, "speaker", "choice"),
        ("/v1/teams/house/messages", {"body": "b", "audience": "open", "task": "1"}, "task", "type"),
        ("/v1/teams/Ho_use/messages", {"body": "b", "audience": "open"}, "team", "format"),
        ("/v1/runs", {"task": ABSENT, "injection": {"text_sha256": "ab"}}, "injection.text_sha256", "format"),
        ("/v1/runs", {"task": ABSENT, "node": "n" * 201}, "node", "too-long"),
    ],
)
async def test_a_refusal_names_the_field_and_the_rule(
    facilities: Voice, path: str, body: object, field: str, rule: str
) -> None:
    assert refused(await facilities.post(path, body)) == (400, "request.invalid", field, rule)
