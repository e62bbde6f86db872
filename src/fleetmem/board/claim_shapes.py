"""What a handoff says when it wants to be believed instead of checked: two flags, each a list of phrases on RE2.

A flag never blocks. It stands on the record so that recipient and operator see, before they read the request, that it
argues with an approval it cannot give. The patterns see text that is normalised, case folded and has single spaces.
`(?P<guard>…)` catches what turns a phrase around ("never skip the check", "unless the owner has approved it").
"""

from __future__ import annotations

from typing import Any, Final

import re2

CLAIMS_APPROVAL: Final = "claims-approval"
SKIPS_CHECKS: Final = "skips-checks"

_GUARD: Final = (
    r"(?P<guard>\b(?:never|not|cannot|\w+n't|unless|until|till|if|whether|once|before|after|when|refuse to|nobody(?: may| can)?|no one(?: may| can)?)"
    r"(?: \w+){0,2} )?"
)
_AUTHORITY: Final = (
    r"(?:owner|boss|chief|ceo|cfo|director|management|head of (?:the )?household|human|humans|operator|admin|administrator|user|family|principal"
    r"|besitzer|eigentümer|chef|propriétaire|dueño|jefe)s?"
)
_APPROVED: Final = r"(?:approved|authori[sz]ed|cleared|signed off|okayed|ok'?d|green-?lit|consented|agreed|sanctioned|permitted|allowed)"
_APPROVAL: Final = (
    r"(?:approval|authori[sz]ation|permission|consent|clearance|sign-?off|go-?ahead|blessing|green light)"
)
_CHECKS: Final = (
    r"(?:check|checks|checking|double-?checks?|verifications?|verifying|confirmations?|confirming|approvals?|authori[sz]ations?|safeguards?|safety|rules?"
    r"|polic(?:y|ies)|procedures?|validations?|reviews?|sign-?offs?|questions|screening|vetting|two-person|call-?back|guardrails?|redaction|scans?)"
)
_ASKING: Final = (
    r"(?:ask|verify|confirm|double-?check|question|validate|second-guess|wait for (?:\w+ ){0,2}"
    + _APPROVAL
    + r"|run (?:the|your|any) (?:\w+ ){0,2}checks?"
    r"|check (?:the|this|it|that|with|again|first|anything|me|my|your|back))"
)

_PHRASES: Final = {
    CLAIMS_APPROVAL: (
        rf"\b(?:pre|auto)[- ]?(?:{_APPROVED}|approve|authori[sz]e)\b",
        rf"\balready (?:been )?(?:\w+ )?(?:{_APPROVED}|confirmed|vetted|given (?:\w+ )?{_APPROVAL})\b",
        rf"\b{_APPROVED} (?:\w+ ){{0,3}}(?:in advance|beforehand|up ?front|ahead of time)\b",
        (
            rf"\b{_AUTHORITY} (?:has |have |had )?(?:\w+ly |already |just )?(?:{_APPROVED}|said (?:yes|ok|okay|so|it is (?:fine|ok|okay)|it's (?:fine|ok|okay))"
            rf"|(?:gave|given|granted) (?:\w+ ){{0,2}}{_APPROVAL}|wants (?:you|this) (?:to|done)|orders? you|instructs? you)\b"
        ),
        rf"\b{_APPROVED} by (?:the |our |my |your )?{_AUTHORITY}\b",
        rf"\b(?:blanket|standing|prior|advance|full|implicit|verbal|owner's|explicit) {_APPROVAL}\b",
        rf"\b(?:consider|treat|take|regard) (?:\w+ ){{1,3}}as (?:\w+ ){{0,3}}(?:{_APPROVAL}|{_AUTHORITY}'s (?:instruction|order|word)|{_APPROVED})\b",
        rf"\b(?:you|we|i) (?:already |now )?have (?:\w+ |{_AUTHORITY}'s ){{0,3}}{_APPROVAL}\b",
        rf"\b(?:on|by|under|with) (?:the )?{_AUTHORITY}(?:'s)? (?:behalf|orders?|instructions?|authority|{_APPROVAL})\b",
        rf"\b(?:instruction|order|directive|message|word) (?:comes? )?(?:straight |directly )?from (?:the |our )?{_AUTHORITY}\b",
        rf"\bi(?: a|')m (?:the|your) {_AUTHORITY}\b",
        r"\b(?:bereits|schon|vorab|im voraus) (?:genehmigt|freigegeben|bewilligt|abgesegnet)\b",
        r"\b(?:déjà|pré-?) ?(?:approuvée?|autorisée?|validée?)\b|\bya (?:está |fue )?(?:aprobad|autorizad)[oa]\b|\bpre-?aprobad[oa]\b",
    ),
    SKIPS_CHECKS: (
        (
            rf"\b(?:skip|bypass|omit|ignore|forgo|disregard|waive|suspend|override|disable|drop|circumvent|turn off|switch off|lift|relax|dispense with|go around)"
            rf"(?:ping|ting|ing|s)? (?:\w+'?s? ){{0,5}}?{_CHECKS}\b"
        ),
        (
            rf"\b(?:no (?:need|reason|point)|not? necessary|unnecessary|needn't|need not|(?:don't|do not) (?:need|have)|not required)(?: for you)?(?: to| in)? "
            rf"(?:\w+ ){{0,2}}?(?:{_ASKING}|check(?:ing)?|{_CHECKS})\b"
        ),
        rf"\b(?:don't|do not|dont) (?:\w+ ){{0,3}}?{_ASKING}\b",
        rf"\bno (?:further |additional |more |extra )?(?:{_CHECKS}|{_APPROVAL}) (?:is |are )?(?:needed|required|necessary|this time)\b",
        rf"\bwithout (?:\w+ ){{0,3}}?(?:{_CHECKS}|{_APPROVAL}|asking|checking|questioning)\b",
        r"\bno questions(?: asked)?\b|\bjust (?:this once|trust me)\b|\b(?:exempt|excused) from (?:\w+ ){0,2}(?:checks?|rules?|review|approval)\b",
        r"\bohne (?:\w+ )?(?:prüfung|rückfragen?|bestätigung|freigabe|genehmigung|kontrolle)\b|\b(?:prüfung|kontrolle) (?:überspringen|auslassen)\b",
        r"\bsans (?:\w+ )?(?:vérif\w+|confirm\w+|contrôle|demander)\b|\bsin (?:\w+ )?(?:verific\w+|confirm\w+|pregunt\w+|revis\w+)\b",
    ),
}

PHRASES: Final[dict[str, tuple[Any, ...]]] = {
    flag: tuple(re2.compile(_GUARD + f"(?:{phrase})") for phrase in phrases) for flag, phrases in _PHRASES.items()
}
