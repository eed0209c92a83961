"""Words of English news text that show whether a full stop ends a sentence, and whether a word is a title.

All words are in lower case, without their full stop.
"""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text as a set: the notation for word lists."""
    return frozenset(words.split())


CIVIL_TITLES = word_set("mr mrs ms mx messrs mme mlle dr prof sir dame lord lady miss madam herr frau")

OFFICE_ABBREVIATIONS = word_set("""
    sen sens rep reps gov govs pres rev revs hon supt asst atty amb insp det msgr
    gen brig maj col lt capt cmdr adm sgt cpl pvt spc ens cdr comdr
    """)

# Titles written in full, as before a surname ("President Lind").
OFFICE_TITLES = word_set("""
    president premier chancellor minister secretary ambassador envoy senator representative
    congressman congresswoman governor mayor alderman councilman councilwoman councillor commissioner delegate
    general admiral colonel major captain commander lieutenant sergeant corporal private marshal officer detective
    inspector sheriff chief judge justice prosecutor magistrate attorney lawyer professor doctor nurse
    king queen prince princess duke duchess count countess baron baroness emperor empress sultan sheikh emir shah
    pope cardinal archbishop bishop reverend rabbi imam father mother brother sister pastor
    chairman chairwoman chairperson director manager executive coach ceo treasurer speaker leader candidate
    republican democrat
    """)

TITLES = CIVIL_TITLES | OFFICE_ABBREVIATIONS | OFFICE_TITLES

# Never the end of a sentence: a name follows.
LEADING_ABBREVIATIONS = word_set("mr mrs ms mx messrs mme mlle dr prof") | OFFICE_ABBREVIATIONS

# A number follows ("No. 7", "Feb. 3", "pp. 4-9"); otherwise the sentence ends.
NUMBERED_ABBREVIATIONS = word_set("no nos op pp art arts sec fig figs vol vols ch chap par ext")

# The sentence may end or go on ("Acme Inc. The", "Acme Inc. shares"): the next word decides.
OPEN_ABBREVIATIONS = word_set(
    "vs cf viz approx eg ie al ft mt st ste pt ed eds etc dept est sq lb lbs oz hr hrs yr yrs mos"
)

# The name of a company, and often the sentence, ends with these unless one of COMPANY_GOES_ON or a title follows.
COMPANY_ENDINGS = word_set("inc corp co cos ltd llc plc")
COMPANY_GOES_ON = word_set("inc ltd llc plc international group holding holdings of and")

# Like OPEN_ABBREVIATIONS, but only when written with a capital letter: "Mass." is a state, "mass." is not.
CAPITAL_ABBREVIATIONS = word_set("""
    bros assn assoc univ mfg intl natl govt jr sr esq ave blvd rd hwy pkwy bldg apt
    ala ariz ark calif colo conn del fla ga ill ind kan kans ky la md mass mich minn miss mo mont neb nebr nev
    okla ore pa penn tenn tex va vt wash wis wisc wyo ont que alta
    jan feb mar apr jun jul aug sep sept oct nov dec
    """)

NUMBER_WORDS = word_set("one two three four five six seven eight nine ten")
DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = word_set("january february march april may june july august september october november december")
TIME_ZONES = word_set("est edt cst cdt mst mdt pst pdt gmt utc bst cet eastern pacific central mountain")

# Words that often begin an English sentence and hardly ever a name.
OPENERS = word_set("""
    the a an this that these those some any many most much more several few both each every either neither no none
    all another other others such one two three four five six seven eight nine ten following
    i you he she it we they who whoever what whatever which whose there here its his her their our my your
    and but or nor so yet for if because although though while when whenever where wherever whether since until unless
    after before as once than like unlike despite except
    about above across against along among around at behind below beneath beside besides between beyond by down during
    from in inside into near of off on onto outside over past through throughout to toward towards under underneath up
    upon via with within without amid amidst amongst
    how why however moreover furthermore meanwhile nevertheless nonetheless therefore thus hence otherwise instead
    indeed also then now later earlier soon still even only just again already always never often sometimes perhaps
    maybe today yesterday tomorrow tonight recently finally previously currently eventually additionally accordingly
    according similarly likewise overall originally initially ultimately unfortunately fortunately apparently
    reportedly asked
    is are was were do does did has have had can could would should might must not
    """)

# After the name of a person, location or organization they make it the name of a thing ("Lind Library", "Arden Times").
THINGS = word_set("""
    university college institute institution academy school museum library hospital clinic foundation fund trust
    center centre airport bridge tunnel street avenue boulevard road lane highway square stadium arena
    theater theatre hall building tower memorial prize award medal cup
    times post herald tribune journal gazette globe chronicle courier daily magazine review press
    philharmonic symphony orchestra opera ballet choir stock bank hotel
    """)
