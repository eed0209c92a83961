"""The English word lists that the predicates, the checks and the `tesa` rules share. All words are folded."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = _words("the a an")
DETERMINERS = ARTICLES | _words("this that these those both all some such")
POSSESSIVES = _words("his her its our your my their")
NUMERALS = _words(
    "two three four five six seven eight nine ten eleven twelve several various many multiple 2 3 4 5 6 7 8 9"
)
SUBJECTS = _words("they we he she you")  # no noun phrase begins with one of these
PRONOUNS = (
    SUBJECTS
    | POSSESSIVES
    | _words(
        """i me him it us them this that these those who whom which mine yours hers ours theirs themselves ourselves
    yourselves himself herself itself each other another one ones everyone everybody everything someone somebody
    something anyone anybody nobody none neither either all both others same above following aforementioned"""
    )
)
# Words of grammar: dictionaries of nouns, verbs, adjectives and adverbs leave them out.
GRAMMAR = (
    DETERMINERS
    | PRONOUNS
    | _words(
        """about across against along although among amongst and as at because beside besides between but by cannot
    could despite during either except for from how if in into like might myself nor of on onto or per plus shall should
    since than though through throughout to toward towards unless unlike until upon versus via what when where whereas
    whether while whose why with within without would yourself"""
    )
)
# An answer made of these alone points at the entities without saying what they are.
POINTERS = PRONOUNS | DETERMINERS | NUMERALS | _words("and or of & , / ;")
# Also abbreviations of something that is no pronoun, when written in capitals.
NOT_PRONOUNS_IN_CAPITALS = _words("us it")

GENERIC = _words(
    """people person persons individual individuals human humans being beings folk folks
    area areas place places location locations
    organization organizations organisation organisations
    entity entities thing things name names subject subjects"""
)
MENTIONED = _words(
    """mentioned discussed named listed described above below here in of from by the this that article passage text
    story context who which are were is was being"""
)

JOINERS = _words("and or plus & , / ; + with as well also then versus vs")
SEPARATORS = _words("and or & , / ; +")
SUFFIXES = _words("jr sr ii iii iv 2d 3d 2nd 3rd")
# Before a person's name these belong to it: "Vice President Gore". "Secretary of State Hale" has a tail.
TITLES = _words(
    """mr mrs ms miss dr prof professor sir dame lord lady king queen prince princess emperor pope cardinal bishop
    archbishop rev reverend rabbi imam saint president presidents vice prime deputy foreign finance interior defense
    minister ministers premier premiers chancellor chancellors secretary secretaries senator senators sen congressman
    congresswoman representative rep governor governors gov lieutenant mayor mayors ambassador judge judges justice
    justices chief attorney general gen colonel col major captain capt sergeant admiral commander chairman chairwoman
    chairperson director coach speaker former ex late first rival candidates candidate"""
)
TITLE_TAILS = {("of", office) for office in ("state", "defense", "defence", "treasury", "commerce", "labor", "labour")}
COMPANY_FORMS = _words("inc corp co ltd llc plc corporation company incorporated limited")

# What people write when they mean "nothing fits"; compared without dots, dashes and slashes.
NOT_AN_ANSWER = _words("na nan none null nil nothing unknown nope no idk dunno") | {
    "not applicable", "not available", "no answer", "no phrase", "no idea", "not possible", "impossible",
    "not aggregatable", "cannot", "cant", "n a", "na na", "none found", "nothing found", "none of the above",
    "not sure", "no relevant phrase", "no common phrase", "nothing in common", "no connection", "no relation",
}  # fmt: skip
NOT_AN_ANSWER_OPENINGS = {
    f"{who}{cannot} {find}"
    for who in ("", "i ") for cannot in ("cannot", "cant", "can not", "could not", "couldnt", "dont", "do not", "didnt")
    for find in ("find", "see", "think of", "know")
} | {
    f"{nothing} {fits}"
    for nothing in ("nothing", "none", "none of them", "no phrase", "no word", "no words", "no expression", "no name")
    for fits in ("fits", "fit", "works", "work", "applies", "apply", "matches", "match", "suits", "comes to mind")
}  # fmt: skip

# Names that begin with a number, which stays where the next word has a capital: in "Six Nations", not in "six nations".
NUMBERED_NAMES = {
    "two sicilies", "two koreas", "three gorges", "three kingdoms", "three mile", "three musketeers", "three rivers",
    "three stooges", "three tenors", "four asian", "four corners", "four horsemen", "four nations", "four seasons",
    "four tigers", "five civilized", "five eyes", "five families", "five nations", "five points", "six counties",
    "six day", "six flags", "six nations", "seven sages", "seven seas", "seven sisters", "seven summits",
    "seven wonders", "eight banners", "nine years", "ten commandments", "ten tribes", "eleven madison",
    "twelve apostles", "twelve tribes",
}  # fmt: skip

MOST_WORDS = 10  # words; the paper's longest kept answer has 11, and 95 in 100 have at most 5

DEMONSTRATIVES = _words("this that these those")
# After "those", these make it the phrase's own head: "those accused of fraud", "those in power".
HEADED_BY = _words("who whom whose that which in of from with at on for by to under near without not")
COLLECTIVES = _words("couple pair trio duo group")  # open a phrase only with "of" behind them
NEVER_SINGULAR = _words("people media data news series politics species headquarters")
ACRONYMS = _words(
    "us uk eu un usa ussr uae nato nyc nba nfl nhl mlb fifa uefa opec imf wto who fbi cia nsa it tv gop dc"
)

# Verbs that make a clause. "would-be" and "has-been" are one word each and no verbs.
FINITE_VERBS = _words(
    """am is are was were isn't aren't wasn't weren't has have had hasn't haven't hadn't do does did don't doesn't
    didn't will would won't wouldn't could couldn't should shouldn't might they're they've we're"""
)
RELATIVES = _words("who whom whose that which where when what why how")
