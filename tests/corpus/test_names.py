from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.lexicon import word_set
from corpus.names import Name, parse_name

PERSON, LOCATION, ORGANIZATION = EntityType

# The row's id, the index's text, the canonical name.
PEOPLE = [
    ("surname-first", "Lincoln, Abraham", "Abraham Lincoln"),
    ("capitals", "LINCOLN, ABRAHAM", "Abraham Lincoln"),
    ("already-in-order", "Abraham Lincoln", "Abraham Lincoln"),
    ("initial-gets-a-dot", "Bush, George W", "George W. Bush"),
    ("title-in-brackets", "BUSH, GEORGE W (PRES)", "George W. Bush"),
    ("initials-only", "Tolkien, J R R", "J. R. R. Tolkien"),
    ("initials-run-together-with-dots", "J.R.R. Tolkien", "J. R. R. Tolkien"),
    ("initials-and-jr", "APPLE, R W JR", "R. W. Apple Jr."),
    ("jr-with-dot-and-comma", "King, Martin Luther, Jr.", "Martin Luther King Jr."),
    ("jr-after-surname", "King Jr, Martin Luther", "Martin Luther King Jr."),
    ("jr-between-commas", "King, Jr, Martin Luther", "Martin Luther King Jr."),
    ("jr-in-order", "Martin Luther King, Jr.", "Martin Luther King Jr."),
    ("jr-lower-case", "King, Martin Luther jr", "Martin Luther King Jr."),
    ("sr", "HOLMES, OLIVER WENDELL SR", "Oliver Wendell Holmes Sr."),
    ("ordinal-suffix", "Butts, Calvin O 3d (Rev)", "Calvin O. Butts III"),
    ("ordinal-suffix-in-capitals", "BUTTS, CALVIN O 3D", "Calvin O. Butts III"),
    ("ordinal-2nd", "Quillfeather, Amos 2nd", "Amos Quillfeather II"),
    ("roman-suffix", "Rockefeller, John D IV", "John D. Rockefeller IV"),
    ("roman-suffix-in-capitals", "ROCKEFELLER, JOHN D IV", "John D. Rockefeller IV"),
    ("surname-twice", "AYRES, B DRUMMOND AYRES JR", "B. Drummond Ayres Jr."),
    ("degree-as-third-part", "Schweitzer, Albert, M.D.", "Albert Schweitzer"),
    ("unknown-third-part", "Nightingale, Florence, nurse", "Florence Nightingale"),
    ("title-before-given", "Luther, Rev Martin", "Martin Luther"),
    ("title-after-given", "Grant, Ulysses S Gen", "Ulysses S. Grant"),
    ("title-alone-after-comma", "Eisenhower, Gen", "Eisenhower"),
    ("title-in-order", "Gen. Ulysses S. Grant", "Ulysses S. Grant"),
    ("mrs-is-another-person", "Pumblechook, Mrs Josiah", "Mrs. Josiah Pumblechook"),
    ("byline-address", "AMOS QUILLFEATHER, Special to The Lantern", "Amos Quillfeather"),
    ("regnal-one-is-no-initial", "Napoleon I", "Napoleon I"),
    ("regnal-in-capitals", "NAPOLEON I (EMPEROR OF FRANCE)", "Napoleon I"),
    ("regnal-five", "Henry V", "Henry V"),
    ("regnal-fourteen", "LOUIS XIV", "Louis XIV"),
    ("pope", "JOHN PAUL II (POPE)", "John Paul II"),
    ("queen-with-number-and-realm", "Elizabeth I, Queen of England", "Elizabeth I"),
    ("prince-with-title", "Albert, Prince of Saxony", "Albert, Prince of Saxony"),
    ("prince-in-capitals", "ALBERT, PRINCE OF SAXONY", "Albert, Prince of Saxony"),
    ("letter-for-a-surname", "Malcolm X", "Malcolm X"),
    ("letter-for-a-surname-inverted", "X, Malcolm", "Malcolm X"),
    ("honorific-u", "U Thant", "U Thant"),
    ("one-word", "MICHELANGELO", "Michelangelo"),
    ("mc", "MCKINLEY, WILLIAM", "William McKinley"),
    ("mc-in-mixed-capitals", "McKINLEY, WILLIAM", "William McKinley"),
    ("mac-name", "MACDONALD, RAMSAY", "Ramsay MacDonald"),
    ("mac-word", "MACHIAVELLI, NICCOLO", "Niccolo Machiavelli"),
    ("o-apostrophe", "O'NEILL, EUGENE", "Eugene O'Neill"),
    ("curly-apostrophe", "O’NEILL, EUGENE", "Eugene O'Neill"),
    ("hyphen", "TOULOUSE-LAUTREC, HENRI DE", "Henri de Toulouse-Lautrec"),
    ("particle-after-given", "BEETHOVEN, LUDWIG VAN", "Ludwig van Beethoven"),
    ("particles-after-given", "CRUZ, JUAN DE LA", "Juan de la Cruz"),
    ("particle-heads-surname", "VAN BUREN, MARTIN", "Martin Van Buren"),
    ("von-is-small", "VON STEUBEN, FRIEDRICH", "Friedrich von Steuben"),
    ("particles-inside-surname", "MIES VAN DER ROHE, LUDWIG", "Ludwig Mies van der Rohe"),
    ("particle-in-order", "LUDWIG VAN BEETHOVEN", "Ludwig van Beethoven"),
    ("particle-as-only-given", "JOLSON, AL", "Al Jolson"),
    ("arabic-article", "DIN, SALAH AL-", "Salah al-Din"),
    ("arabic-article-without-hyphen", "Din, Salah al", "Salah al-Din"),
    ("french-elision", "ARC, JEANNE D'", "Jeanne d'Arc"),
    ("spanish-y", "ORTEGA Y GASSET, JOSE", "Jose Ortega y Gasset"),
    ("initial-e-is-no-particle", "LEE, ROBERT E", "Robert E. Lee"),
    ("two-surnames", "GARCIA LORCA, FEDERICO", "Federico Garcia Lorca"),
    ("saint-surname", "ST JOHN, HENRY", "Henry St. John"),
    ("surname-first-by-custom", "SUN YAT-SEN", "Sun Yat-Sen"),
    ("numeral-lookalike-comes-first", "XI KANG", "Xi Kang"),
    ("surname-alone-in-capitals", "Jules VERNE", "Jules Verne"),
    ("accents-stay", "Bolívar, Simón", "Simón Bolívar"),
    ("nickname-in-quotes", 'Ruth, George H "Babe"', "George H. Ruth"),
    ("nickname-in-capitals", 'RUTH, GEORGE "BABE"', "George Ruth"),
    ("nickname-in-single-quotes", "Ruth, George 'Babe'", "George Ruth"),
    ("nickname-in-curly-single-quotes", "O’Dell, Mae P ‘Tip’ Jr", "Mae P. O'Dell Jr."),
    ("nickname-in-brackets", 'Lind, Tove ("Tip")', "Tove Lind"),
    ("nickname-only", 'Ruth, "Babe"', "Babe Ruth"),
    ("nickname-first", '"Weird Al" Quillfeather', "Weird Al Quillfeather"),
    ("all-small", "mckinley, william", "William McKinley"),
    ("all-small-in-order", "ludwig van beethoven", "Ludwig van Beethoven"),
    ("people-of-one-name", "CORVO CRIME FAMILY", "Corvo Crime Family"),
    ("people-of-one-name-inverted", "Corvo, Family", "Corvo Family"),
    ("band", "Bodkin, Larch & Snell", "Bodkin, Larch & Snell"),
    ("band-of-four", "BODKIN, LARCH, PYM & SNELL", "Bodkin, Larch, Pym & Snell"),
    ("of-a-place", "ANNA OF ARDEN", "Anna of Arden"),
    ("unclosed-bracket", "Lincoln, Abraham (Pres", "Abraham Lincoln"),
    ("spaces", "  Lincoln ,  Abraham ", "Abraham Lincoln"),
    ("dangling-comma", "Lincoln,", "Lincoln"),
]
PLACES = [
    ("plain", "ICELAND", "Iceland"),
    ("small-words", "ISLE OF WIGHT", "Isle of Wight"),
    ("state-of", "ISRAEL, STATE OF", "State of Israel"),
    ("peoples-republic-of", "CHINA, PEOPLE'S REPUBLIC OF", "People's Republic of China"),
    ("lake", "SUPERIOR, LAKE", "Lake Superior"),
    ("gulf-of", "Mexico, Gulf of", "Gulf of Mexico"),
    ("article", "SALVADOR, EL", "El Salvador"),
    ("the", "HAGUE, THE (NETHERLANDS)", "The Hague"),
    ("direction", "Ireland, Northern", "Northern Ireland"),
    ("list-of-regions", "Far East, South and Southeast Asia", "Far East, South and Southeast Asia"),
    ("in-brackets", "Boston (Mass)", "Boston"),
    ("after-a-comma", "Springfield, Ill", "Springfield"),
    ("two-brackets", "CORNWALL (COUNTY) (ENG)", "Cornwall"),
    ("bracket-with-commas", "WILLOWBEND (MASHPEE, MASS, DEVELOPMENT)", "Willowbend"),
    ("bracket-in-the-middle", "LAKE (GREAT) BEAR", "Lake Bear"),
    ("state-in-brackets", "Washington (State)", "Washington State"),
    ("saint", "ST LOUIS (MO)", "St. Louis"),
    ("hyphens", "HASTINGS-ON-HUDSON (NY)", "Hastings-on-Hudson"),
    ("hyphens-without-small-words", "HO-HO-KUS (NJ)", "Ho-Ho-Kus"),
    ("of-soviet-republics", "UNION OF SOVIET SOCIALIST REPUBLICS", "Union of Soviet Socialist Republics"),
    ("acronym", "USSR", "USSR"),
    ("all-small", "osaka", "Osaka"),
    ("all-small-with-small-words", "isle of wight", "Isle of Wight"),
    ("named-after-somebody", "Lincoln, Abraham, Birthplace (Ky)", "Abraham Lincoln Birthplace"),
    ("named-after-somebody-in-capitals", "LIND, TOVE B, INTERNATIONAL AIRPORT", "Tove B. Lind International Airport"),
]
BODIES = [
    ("founder", "Freud, Sigmund, Museum (Vienna)", "Sigmund Freud Museum"),
    ("founder-in-capitals", "FREUD, SIGMUND, MUSEUM (VIENNA)", "Sigmund Freud Museum"),
    ("founder-with-initial", "Morgan, J Pierpont, Library", "J. Pierpont Morgan Library"),
    ("founder-and-company", "MORGAN, J P, & CO", "J. P. Morgan & Co."),
    ("founder-in-two-parts", "Macy, R H & Co", "R. H. Macy & Co."),
    ("founder-initials-only", "Barnum, P T", "P. T. Barnum"),
    ("partners", "Bodkin, Larch & Snell", "Bodkin, Larch & Snell"),
    ("many-partners", "Bodkin, Larch, Pym, Snell & Vane", "Bodkin, Larch, Pym, Snell & Vane"),
    ("subject-first", "EDUCATION, DEPARTMENT OF (US)", "Department of Education"),
    ("the-last", "Juilliard School, The", "The Juilliard School"),
    ("corp", "Microsoft Corp", "Microsoft Corp."),
    ("inc-after-comma", "Acme Anvils, Inc", "Acme Anvils Inc."),
    ("co-in-capitals", "COCA-COLA CO", "Coca-Cola Co."),
    ("ltd", "ACME ANVILS LTD", "Acme Anvils Ltd."),
    ("foreign-form", "NESTLE SA", "Nestle SA"),
    ("company-spelt-out", "Ford Motor Company", "Ford Motor Company"),
    ("known-acronym-in-capitals", "GTE CORP", "GTE Corp."),
    ("vowelless-acronym", "WQXR", "WQXR"),
    ("ampersand-acronym", "AT&T", "AT&T"),
    ("hyphened-acronyms", "AFL-CIO", "AFL-CIO"),
    ("acronym-among-words", "NAACP LEGAL DEFENSE FUND", "NAACP Legal Defense Fund"),
    ("abbreviated-word", "NATIONAL BASKETBALL ASSN", "National Basketball Association"),
    ("small-words", "BANK OF NOVA SCOTIA", "Bank of Nova Scotia"),
    ("university", "COLUMBIA UNIVERSITY", "Columbia University"),
    ("limited-is-a-name", "Limited, The", "The Limited"),
    ("dots-stay-in-mixed-case", "U.S. Steel", "U.S. Steel"),
    ("founder-and-place", "Lincoln, Abraham, Library of Arden", "Abraham Lincoln Library of Arden"),
    ("founder-and-place-in-capitals", "LINCOLN, ABRAHAM, LIBRARY OF ARDEN (ILL)", "Abraham Lincoln Library of Arden"),
    ("founder-and-subject", "Lind, Tove B, School of Government", "Tove B. Lind School of Government"),
    ("founder-and-town", "Hale, Walter, Library of Arden, Elmton", "Walter Hale Library of Arden, Elmton"),
    ("founder-with-suffix", "Hale, Walter F Jr, Foundation", "Walter F. Hale Jr. Foundation"),
    ("two-founders", "Hale, Walter, and Ida Corvo Foundation", "Walter Hale and Ida Corvo Foundation"),
    ("part-of-a-body", "Arden, University of, School of Law", "University of Arden School of Law"),
    ("brigade", "Lincoln, Abraham, Brigade", "Abraham Lincoln Brigade"),
    ("all-small", "arden food council", "Arden Food Council"),
    ("all-small-acronym", "bbc", "BBC"),
]


def rows(type: EntityType, cases: list[tuple[str, str, str]]) -> list[object]:
    return [pytest.param(type, text, canonical, id=f"{type}-{name}") for name, text, canonical in cases]


@pytest.mark.parametrize(
    ("type", "text", "canonical"), rows(PERSON, PEOPLE) + rows(LOCATION, PLACES) + rows(ORGANIZATION, BODIES)
)
def test_an_index_name_becomes_the_name_a_page_prints(type: EntityType, text: str, canonical: str):
    assert parse_name(text, type).canonical == canonical


@pytest.mark.parametrize(
    ("type", "text", "strict", "loose"),
    [
        pytest.param(PERSON, "Bush, George W (Pres)", ["George Bush"], ["Bush"], id="middle-initial"),
        pytest.param(PERSON, "Lincoln, Abraham", [], ["Lincoln"], id="nothing-to-leave-out"),
        pytest.param(
            PERSON,
            "Adams, John Quincy",
            ["John Adams", "John Q. Adams"],
            ["Adams", "Quincy Adams"],
            id="middle-name",
        ),
        pytest.param(PERSON, "APPLE, R W JR", ["R. W. Apple"], ["Apple", "Apple Jr."], id="suffix-left-out"),
        pytest.param(
            PERSON,
            "Quillfeather, Amos 3d",
            ["Amos Quillfeather", "Amos Quillfeather 3d", "Amos Quillfeather 3rd"],
            ["Quillfeather", "Quillfeather 3d", "Quillfeather 3rd", "Quillfeather III"],
            id="suffix-in-its-spellings",
        ),
        pytest.param(
            PERSON,
            "Ayres, B Drummond",
            ["B. D. Ayres", "Drummond Ayres"],
            ["Ayres"],
            id="first-initial-left-out",
        ),
        pytest.param(PERSON, "Smith, John V", ["John Smith"], ["Smith"], id="v-among-given-names-is-an-initial"),
        pytest.param(PERSON, 'Ruth, George "Babe"', ["Babe Ruth"], ["Ruth"], id="nickname"),
        pytest.param(PERSON, 'RUTH, GEORGE "BABE"', ["Babe Ruth"], ["Ruth"], id="nickname-in-capitals"),
        pytest.param(PERSON, "Ruth, George 'Babe'", ["Babe Ruth"], ["Ruth"], id="nickname-in-single-quotes"),
        pytest.param(PERSON, 'Lind, Tove ("Tip")', ["Tip Lind"], ["Lind"], id="nickname-in-brackets"),
        pytest.param(PERSON, "CORVO CRIME FAMILY", ["Corvo Family"], [], id="people-of-one-name"),
        pytest.param(PERSON, "Corvo Brothers", [], [], id="brothers"),
        pytest.param(PERSON, "Bodkin, Larch & Snell", [], [], id="band"),
        pytest.param(PERSON, "Anna of Arden", [], ["Anna"], id="of-a-place"),
        pytest.param(PERSON, "Anna the Great", [], ["Anna"], id="by-name"),
        pytest.param(PERSON, "Arden people", [], [], id="people"),
        pytest.param(PERSON, "Arden painting", [], [], id="no-surname-is-small"),
        pytest.param(PERSON, "Gaulle, Charles de", [], ["Gaulle", "de Gaulle"], id="particle"),
        pytest.param(PERSON, "Garcia Lorca, Federico", [], ["Garcia Lorca", "Lorca"], id="two-surnames"),
        pytest.param(PERSON, "Sun Yat-sen", [], ["Sun", "Yat-sen"], id="surname-first-by-custom"),
        pytest.param(PERSON, "Napoleon I", [], ["Napoleon"], id="ruler"),
        pytest.param(PERSON, "John Paul II (Pope)", ["John Paul"], [], id="ruler-of-two-words"),
        pytest.param(
            PERSON, "Albert, Prince of Saxony", ["Prince Albert", "Prince of Saxony"], ["Albert"], id="prince"
        ),
        pytest.param(PERSON, "Pumblechook, Mrs Josiah", [], ["Josiah Pumblechook", "Pumblechook"], id="mrs"),
        pytest.param(PERSON, "Michelangelo", [], [], id="one-word"),
        pytest.param(LOCATION, "ISRAEL, STATE OF", ["Israel"], [], id="form-of-state"),
        pytest.param(LOCATION, "Boston (Mass)", ["Boston, Mass", "Boston, Massachusetts"], [], id="state-spelt-out"),
        pytest.param(
            LOCATION,
            "WILLOWBEND (MASHPEE, MASS, DEVELOPMENT)",
            ["Willowbend, Mashpee", "Willowbend, Mashpee, Mass", "Willowbend, Mashpee, Massachusetts"],
            [],
            id="where-it-lies-but-not-what-it-is",
        ),
        pytest.param(LOCATION, "New York City", ["N.Y.C.", "NYC", "New York"], [], id="city"),
        pytest.param(LOCATION, "New York State", [], ["New York"], id="state-that-shares-its-name"),
        pytest.param(LOCATION, "Haryana State", ["Haryana"], [], id="state"),
        pytest.param(LOCATION, "Mexico City", [], [], id="city-is-not-its-country"),
        pytest.param(LOCATION, "Westchester County", [], ["Westchester"], id="county"),
        pytest.param(LOCATION, "EUROPE, EAST", ["Eastern Europe"], [], id="known-by-another-name"),
        pytest.param(LOCATION, "St Louis", ["Saint Louis"], [], id="saint"),
        pytest.param(ORGANIZATION, "Microsoft Corp", ["Microsoft", "Microsoft Corporation"], [], id="corp"),
        pytest.param(ORGANIZATION, "Morgan, J P, & Co", ["J. P. Morgan", "J. P. Morgan & Company"], [], id="and-co"),
        pytest.param(ORGANIZATION, "North Atlantic Treaty Organization (NATO)", ["NATO"], [], id="acronym"),
        pytest.param(ORGANIZATION, "Columbia University", [], ["Columbia"], id="university"),
        pytest.param(ORGANIZATION, "Juilliard School, The", ["Juilliard School"], [], id="the"),
    ],
)
def test_aliases_are_strict_when_they_name_nobody_else(
    type: EntityType, text: str, strict: list[str], loose: list[str]
):
    name = parse_name(text, type)

    assert (list(name.strict), list(name.loose)) == (strict, loose)


@pytest.mark.parametrize(
    ("type", "text", "information"),
    [
        (PERSON, "REAGAN, RONALD WILSON (PRES)", ("Pres",)),
        (PERSON, "Luther, Rev Martin, PhD (Monk) (Reformer)", ("Rev", "PhD", "Monk", "Reformer")),
        (PERSON, "Elizabeth I, Queen of England", ("Queen of England",)),
        (PERSON, 'Ruth, George H "Babe"', ("Babe",)),
        (LOCATION, "CORNWALL (COUNTY) (ENG)", ("County", "Eng")),
        (LOCATION, "WASHINGTON (DC)", ("DC",)),
        (LOCATION, "Springfield, Ill", ("Ill",)),
        (ORGANIZATION, "Acme Anvils Inc (NYSE)", ("NYSE",)),
        (ORGANIZATION, "Nested (one (two) three)", ("one two three",)),
    ],
)
def test_what_the_index_says_beside_the_name_is_kept(type: EntityType, text: str, information: tuple[str, ...]):
    assert parse_name(text, type).information == information


def test_a_text_without_any_word_has_no_name():
    assert [parse_name(text, PERSON).canonical for text in ("", " , ", "()", "...")] == ["", "", "", ""]


def test_a_text_that_is_all_brackets_is_a_name():
    assert parse_name("(Boston)", LOCATION).canonical == "Boston"


def test_a_page_of_text_given_by_mistake_is_cut_and_gets_no_aliases():
    name = parse_name("word " * 10_000, PERSON)

    assert len(name.canonical) <= 300
    assert (name.strict, name.loose) == ((), ())


WORDS = st.sampled_from(
    sorted(
        word_set(
            "Jr JR 2d 3D III IV V X I Bush GEORGE W. R.W. van VAN de al- d' O'CONNOR (PRES) ( ) , ,, of OF The THE "
            "State LAKE Co CORP Inc. & AND Museum J P Mc MCG Gen REV PRINCE Queen U ST Univ - ' \" `` '' LLC Plc NY "
            "ILL : Special to New-York É ß İ ǆ 20TH SA University md"
        )
    )
)
TEXTS = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join),
    st.text(max_size=40),
    st.lists(st.one_of(WORDS, st.text(max_size=3)), max_size=6).map(" ".join),
)
TYPES = st.sampled_from(EntityType)


def texts_of(name: Name) -> tuple[str, ...]:
    return (name.canonical, *name.strict, *name.loose, *name.information)


@given(TEXTS, TYPES)
def test_a_canonical_name_read_again_gives_itself(text: str, type: EntityType):
    name = parse_name(text, type)

    assert parse_name(name.canonical, type).canonical == name.canonical


@given(TEXTS, TYPES)
def test_aliases_are_sorted_and_stand_in_one_place_only(text: str, type: EntityType):
    name = parse_name(text, type)

    together = [name.canonical, *name.strict, *name.loose]
    assert len(together) == len(set(together))
    assert list(name.strict) == sorted(name.strict)
    assert list(name.loose) == sorted(name.loose)


@given(TEXTS, TYPES)
def test_no_text_has_spaces_to_spare(text: str, type: EntityType):
    name = parse_name(text, type)

    assert all(form == " ".join(form.split()) for form in texts_of(name))
    assert "" not in name.strict + name.loose + name.information
