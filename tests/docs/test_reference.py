"""The reference pages know what the code knows, and nothing else: errors, settings, roster, roles, tables, policies, states."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

from fleetmem import config, errors
from fleetmem.admin import schema
from fleetmem.admin.prove.report.totals import SECTIONS
from fleetmem.admin.prove.verdict import Kind
from fleetmem.board.handoff import TRANSITIONS
from fleetmem.cli import outcome
from fleetmem.fleet.plan import RosterPlan
from fleetmem.memory import block, review, safety, skill
from fleetmem.sql import safety_files
from fleetmem.sql.fence_files import fence_files
from fleetmem.store.pgerrors import FIELD_RULES
from fleetmem_gateway import intake
from fleetmem_gateway.problems import STATUS
from tests.docs import markdown
from tests.docs.markdown import ROOT, page

# The memory half has rules of its own; those that a service answers with are the ones of a reviewer's texts and recipients.
_SOURCES = [
    path
    for folder in ("src", "gateway")
    for path in (ROOT / folder).rglob("*.py")
    if not {"memory", "landing"} & set(path.parts)
]
_OF_REVIEW = (block.check_content, skill.check_key, skill.check_description, review.faults)
# Rules that are no literal argument where they are found.
_COMPUTED = {"type", "json"}


def test_every_error_stands_with_its_class_status_and_exit_code() -> None:
    listed = markdown.rows(page("docs/errors.md"), "code", "class", "HTTP", "exit", "cause", "what to do")
    assert {(row["code"], row["class"], row["HTTP"], row["exit"]) for row in listed} == {
        (error.code, error.__name__, str(STATUS.get(error, "-")), str(outcome.code(error()).value))
        for error in errors.tree()
    }
    assert len(listed) == len(errors.tree())
    assert all(row["cause"] and row["what to do"] for row in listed)


def test_every_rule_that_a_refusal_can_name_is_explained() -> None:
    sections = markdown.sections(page("docs/errors.md"), level=2)["Rules"]
    general, _, secrets = sections.partition("### Shapes of secrets")
    assert {row["rule"] for row in markdown.rows(secrets, "rule", "finds")} == {
        safety.FAULT,
        *(rule.id for rule in safety_files.secrets().rules),
    }
    said = _COMPUTED | {rule for path in _SOURCES for rule in _rules_of(path)}
    said |= {rule for _, rule in FIELD_RULES.values()} | {rule for _, rule in intake._RULES}  # noqa: SLF001 -- its only list
    said |= _faults_of(ROOT / "src" / "fleetmem" / "fleet" / "text.py")
    said |= {rule for check in _OF_REVIEW for rule in _named_by(check)}
    assert {row["rule"] for row in markdown.rows(general, "rule", "means")} == said


def test_every_setting_stands_with_its_default_and_meaning() -> None:
    listed = markdown.rows(page("docs/configuration.md"), "variable", "default", "meaning")
    told = {(row["variable"], row["default"], row["meaning"]) for row in listed}
    assert told == {(variable, default or "-", meaning) for variable, default, meaning in config.declared()}


def test_every_variable_that_is_named_anywhere_is_a_setting() -> None:
    known = {variable for variable, _, _ in config.declared()}
    known |= {row["variable"] for row in markdown.rows(page("docs/configuration.md"), "variable", "meaning")}
    for path in markdown.PAGES:
        named = set(re.findall(r"FLEETMEM_[A-Z_]+[A-Z]", path.read_text(encoding="utf-8")))
        assert named <= known, path


def test_a_handoff_moves_in_the_page_as_in_the_table() -> None:
    listed = markdown.rows(page("docs/life-of-a-beat.md"), "from", "to", "by")
    assert [(row["from"], row["to"], row["by"]) for row in listed] == [
        (move.before.value, move.after.value, move.by.value) for move in TRANSITIONS
    ]
    drawn = next(block.content for block in markdown.blocks(page("docs/life-of-a-beat.md")) if "─▶" in block.content)
    for move in TRANSITIONS:
        assert f" {move.before.value} " in drawn
        assert f" {move.after.value} " in drawn


def test_every_kind_of_change_a_roster_plan_tells_is_explained() -> None:
    written = (ROOT / "src" / "fleetmem" / "fleet" / "plan.py").read_text(encoding="utf-8")
    kinds = set(re.findall(r'f"([A-Z][A-Z ]+): ', written))
    assert len(kinds) >= len(RosterPlan.__dataclass_fields__) - 1
    listed = markdown.rows(page("docs/roster.md"), "the plan says", "it means")
    assert {row["the plan says"] for row in listed} == kinds


def test_every_table_is_in_the_architecture() -> None:
    listed = markdown.rows(page("ARCHITECTURE.md"), "table", "holds")
    assert {row["table"] for row in listed} == {str(table) for table in schema.metadata.tables}


def test_every_database_role_is_explained_and_drawn() -> None:
    declared = (ROOT / "policies" / "fence" / "00_roles.sql").read_text(encoding="utf-8")
    roles = dict(re.findall(r"\('(fleetmem_[a-z]+)', (true|false)\)", declared))
    listed = markdown.rows(page("docs/fence.md"), "role", "logs in", "what it is")
    assert {row["role"]: row["logs in"] for row in listed} == {
        role: "yes" if logs_in == "true" else "no" for role, logs_in in roles.items()
    }
    drawn = markdown.blocks(page("ARCHITECTURE.md"))[0].content
    assert set(re.findall(r"fleetmem_[a-z]+", drawn)) == roles.keys()


def test_every_policy_file_and_lint_is_listed() -> None:
    listed = markdown.rows(page("docs/fence.md"), "file", "what it decides")
    assert [row["file"] for row in listed] == [path.name for path in fence_files()]
    lints = markdown.rows(page("docs/fence.md"), "lint", "what it finds")
    assert {row["lint"] for row in lints} == {path.name for path in (ROOT / "policies/fence/lint").glob("*.sql")}


def test_every_section_and_kind_of_the_proof_is_explained() -> None:
    text = page("docs/prove.md")
    assert {row["section"]: row["about"] for row in markdown.rows(text, "section", "about")} == dict(SECTIONS)
    assert [row["kind"] for row in markdown.rows(text, "kind", "is")] == [kind.value for kind in Kind]


def test_the_threat_model_points_at_sections_of_the_proof() -> None:
    attackers = markdown.sections(page("SECURITY.md"), level=2)["Attackers"]
    named = {
        letter for found in re.findall(r"\[([A-Z][A-Z0-9, to]*)\]", attackers) for letter in re.findall("[A-Z]", found)
    }
    assert named
    assert named <= SECTIONS.keys()


def _rules_of(path: Path) -> set[str]:
    """Return every rule that a module gives an error as it stands in the source."""
    calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    given = (word.value for call in calls for word in call.keywords if word.arg == "rule")
    return {str(value.value) for value in given if isinstance(value, ast.Constant) and value.value}


def _named_by(check: Callable[..., object]) -> set[str]:
    """Return the rules that a function's docstring says it answers with."""
    return set(re.findall(r"`([a-z_-]+)`", check.__doc__ or "")) - {"rule"}


def _faults_of(path: Path) -> set[str]:
    """Return the rules of a text, as the docstring of its module lists them."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return set(re.findall(r"`([a-z-]+)`", docstring)) - {"rule"}
