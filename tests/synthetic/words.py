"""The words of synthetic releases: kinds of things with their plurals, adjectives, events. All of it our own."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.articles import EntityType


@dataclass(frozen=True)
class Role:
    """What an entity is: its singular stands in texts, its plural and the synonyms in answers."""

    singular: str
    plural: str
    synonyms: tuple[str, ...]


def _roles(*rows: str) -> tuple[Role, ...]:
    roles = []
    for row in rows:
        singular, plural, *synonyms = row.split(", ")
        roles.append(Role(singular, plural, tuple(synonyms)))
    return tuple(roles)


ROLES = {
    EntityType.PERSON: _roles(
        "politician, politicians, political figures, public servants",
        "actor, actors, entertainers, performers",
        "writer, writers, authors, novelists",
        "singer, singers, musicians, recording artists",
        "executive, executives, businessmen, business leaders",
        "lawyer, lawyers, attorneys, legal experts",
        "runner, runners, athletes, sports figures",
        "painter, painters, artists, visual artists",
        "judge, judges, magistrates, legal authorities",
        "scientist, scientists, researchers, scholars",
        "general, generals, military leaders, officers",
        "architect, architects, designers, builders of note",
        "physician, physicians, doctors, medical experts",
        "composer, composers, classical musicians, creators of music",
        "diplomat, diplomats, envoys, negotiators",
        "dancer, dancers, stage artists, ballet stars",
        "editor, editors, journalists, media figures",
        "investor, investors, financiers, wealthy people",
        "coach, coaches, trainers, team leaders",
        "explorer, explorers, travelers, adventurers",
    ),
    EntityType.LOCATION: _roles(
        "country, countries, nations, political powers",
        "city, cities, urban areas, population centers",
        "island, islands, isles, island territories",
        "province, provinces, regions, administrative areas",
        "port, ports, harbors, maritime towns",
        "village, villages, small towns, rural communities",
        "river, rivers, waterways, bodies of water",
        "district, districts, neighborhoods, quarters",
        "capital, capitals, seats of government, major cities",
        "resort, resorts, vacation spots, tourist destinations",
        "valley, valleys, lowlands, farming areas",
        "border town, border towns, frontier settlements, crossing points",
    ),
    EntityType.ORGANIZATION: _roles(
        "company, companies, businesses, corporations",
        "bank, banks, financial institutions, lenders",
        "university, universities, schools, centers of learning",
        "newspaper, newspapers, publications, media outlets",
        "agency, agencies, government bodies, public offices",
        "club, clubs, teams, sports organizations",
        "museum, museums, cultural institutions, galleries",
        "party, parties, political groups, movements",
        "airline, airlines, carriers, transport companies",
        "charity, charities, aid groups, relief organizations",
    ),
}
COMMON = {
    EntityType.PERSON: ("people", "men", "public figures", "celebrities", "leaders", "professionals"),
    EntityType.LOCATION: ("places", "locations", "territories", "destinations"),
    EntityType.ORGANIZATION: ("organizations", "institutions", "groups", "employers"),
}
QUALITIES = (
    "veteran", "wealthy", "young", "famous", "retired", "powerful", "modern", "ancient", "independent", "rival",
    "northern", "southern", "coastal", "historic", "controversial", "respected", "struggling", "prominent", "popular",
    "influential",
)  # fmt: skip
EVENTS = (
    "treaty", "election", "festival", "trial", "merger", "championship", "strike", "exhibition", "summit", "lawsuit",
    "flood", "premiere", "census", "inquiry", "auction", "parade", "harvest", "blockade", "reform", "expedition",
    "scandal", "jubilee",
)  # fmt: skip
THINGS = (
    "bridge", "railway", "library", "theater", "budget", "contract", "garden", "archive", "market", "observatory",
    "canal", "stadium", "orchestra", "fleet", "manuscript", "monument", "factory", "vineyard", "lighthouse",
    "almanac", "ledger", "tunnel", "workshop", "pension", "charter", "survey", "orchard", "tariff", "chapel",
    "courthouse",
)  # fmt: skip
VERBS = (
    "opened", "defended", "studied", "sold", "restored", "described", "funded", "inherited", "measured", "closed",
    "questioned", "rebuilt", "painted", "surveyed", "managed", "praised", "planned", "recorded",
)  # fmt: skip
SYLLABLES = (
    "ar", "bel", "cor", "dan", "el", "fer", "gol", "hin", "is", "jor", "kal", "lun", "mar", "nor", "ol", "pen",
    "quil", "ros", "sel", "tor", "ul", "ven", "wil", "yar", "zan",
)  # fmt: skip
