"""A small labelled sample of our own: three teams, with notes for one, for several, and for nobody."""

import json
from pathlib import Path

TEAMS = {
    "bakery": {
        "oven": ("Oven Agent", "Bakes bread and pastry.", "You own the dough, baking times and the flour."),
        "till": (
            "Counter Agent",
            "Serves customers in the shop.",
            "You run the cash register, prices and opening hours.",
        ),
        "book": ("Bookkeeping Agent", "Keeps accounts, invoices and taxes.", "You pay suppliers and file receipts."),
    },
    "clinic": {
        "nurse": ("Nursing Agent", "Cares for patients on the ward.", "You change dressings and give medicines."),
        "desk": ("Reception Agent", "Books appointments.", "You keep the calendar, phone calls and patient files."),
        "lab": ("Laboratory Agent", "Analyses blood samples.", "You calibrate instruments and store reagents."),
    },
    "theatre": {
        "light": ("Lighting Agent", "Plans stage lights and cues.", "You program the lamps, dimmers and colours."),
        "sound": ("Sound Agent", "Runs microphones and music.", "You mix the show and keep the radio microphones."),
        "tickets": ("Box Office Agent", "Sells tickets and seats.", "You handle reservations, refunds and discounts."),
    },
}
NOTES = {
    "bakery": [
        ("Let the sourdough rest for twelve hours in winter.", ["oven"]),
        ("The rye flour needs more water.", ["oven"]),
        ("The shop opens at six on Saturdays.", ["till"]),
        ("The cash register prints twice when the paper runs out.", ["till"]),
        ("The miller's invoice is paid within fourteen days.", ["book"]),
        ("The price of rolls rises, so change the signs and the flour order.", ["till", "oven"]),
        ("The moon was red last night.", []),
    ],
    "clinic": [
        ("Change the dressing twice a day.", ["nurse"]),
        ("Give the medicine only after a meal.", ["nurse"]),
        ("New appointments are forty minutes long.", ["desk"]),
        ("Patients call before eight to cancel.", ["desk"]),
        ("The blood sample keeps for four hours at room temperature.", ["lab"]),
        ("The centrifuge is calibrated on Mondays.", ["lab"]),
        ("Somebody sang in the yard.", []),
    ],
    "theatre": [
        ("The blue lamps overheat after an hour.", ["light"]),
        ("Cue nine comes with the thunder.", ["light", "sound"]),
        ("The radio microphones share a channel with the taxi.", ["sound"]),
        ("The second act is mixed too loud.", ["sound"]),
        ("Students pay half for seats in the gallery.", ["tickets"]),
        ("Tickets are refunded until noon.", ["tickets"]),
        ("A heron landed on the roof.", []),
    ],
}


def write(path: Path) -> Path:
    lines: list[object] = []
    for team, agents in TEAMS.items():
        listed = [
            {"id": f"{team}/{key}", "name": name, "description": description, "instructions": instructions}
            for key, (name, description, instructions) in agents.items()
        ]
        lines.append({"type": "team", "team": team, "agents": listed})
    for team, notes in NOTES.items():
        lines += [
            {"type": "note", "team": team, "text": text, "recipients": [f"{team}/{key}" for key in keys]}
            for text, keys in notes
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
