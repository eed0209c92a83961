"""Words that show whether a name stands alone or is part of a longer one, in lower case and without full stop."""

from __future__ import annotations

from corpus.lexicon import THINGS, word_set

# "Bank of England", "Sea of Japan": before "of" they begin another name, so the place after it is not mentioned.
# "Minister of", "people of" and "government of" do not.
KINDS_BEFORE_OF = word_set("""
    bank banks university universities college academy school institute institution museum library church cathedral
    diocese archdiocese bishop archbishop hospital theater theatre opera orchestra symphony choir
    sea gulf bay strait straits cape isle lake battle siege treaty
    federation confederation association society guild league chamber exchange board authority club foundation fund
    trust council voice friends sons daughters knights port journal
    duke duchess earl count countess baron baroness marquess marquis viscount prince princess
    """)

# Directly before a location they make it another name, even at the beginning of a sentence.
BEFORE_A_PLACE = word_set("""
    latin north south east west northern southern eastern western central new upper lower inner outer
    lake mount fort port cape san santa st saint air
    mr mrs ms mx messrs mme mlle dr prof sir dame lord lady miss madam
    """)

# Of these there may be a new one beside the old: "the New Esker Reservoir" may be the Esker Reservoir.
REBUILT = word_set("aqueduct bridge dam reservoir stadium tunnel")

TEAMS = word_set("""
    angels astros athletics expos braves brewers cardinals cubs diamondbacks dodgers giants indians mariners marlins
    mets nationals orioles padres phillies pirates rangers rays reds rockies royals tigers twins yankees sox
    49ers bears bengals bills broncos browns buccaneers chargers chiefs colts cowboys dolphins eagles falcons jaguars
    jets lions oilers packers panthers patriots raiders rams ravens redskins saints seahawks steelers texans titans
    vikings bobcats bucks bulls bullets cavaliers celtics clippers grizzlies hawks heat hornets jazz kings knicks lakers
    magic mavericks nets nuggets pacers pistons raptors rockets spurs suns supersonics timberwolves warriors wizards
    avalanche bruins canadiens canucks capitals coyotes devils ducks flames flyers hurricanes islanders nordiques
    penguins predators sabres senators sharks stars thrashers whalers
    """)
# After a location, alone or at the end of the capitalised words that follow, they make it the name of an organization.
BODIES = (
    THINGS
    | TEAMS
    | word_set("""
    inc corp corporation co company cos companies ltd limited plc llc sa ag nv pty pte gmbh
    airlines airways lines railway railroad telephone telecom instruments industries enterprises exchange
    association society tech state war
    """)
)
COMPANY_FORMS = word_set("inc corp co ltd plc llc sa ag nv pty pte gmbh")
PARTNERS = COMPANY_FORMS | word_set("company sons associates partners brothers bros")  # "Lind & Sons"

# The last words of the names of groups; newspapers may print them in lower case ("the Corvo family").
GROUP_WORDS = word_set("""
    family families crime brothers sisters clan dynasty tribe gang cartel mob
    group party company corporation foundation trust fund committee commission council board union association society
    federation league alliance coalition front movement army guard institute institution school college university
    academy church diocese museum library gallery orchestra symphony philharmonic opera ballet theater theatre hospital
    clinic center centre club team band bank airline airlines newspaper magazine administration government ministry
    department agency bureau court parliament assembly authority estate
    """)
PLACE_WORDS = word_set("""
    river rivers county valley island islands mountains desert peninsula province region state city district lake canal
    """)
SMALL_LAST_WORDS = GROUP_WORDS | PLACE_WORDS

# Ordinary English words that are also names of organizations, people or locations. At the beginning of a sentence their
# capital letter says nothing.
ORDINARY_WORDS = word_set("""
    time times target people life fortune money gap limited next best giant shell sun oracle apple orange visa sprint
    express general national standard united first chase discovery gateway staples delta eagle progress prudential
    travelers guess coach champion dial loans savings trust union federal press post globe herald star mirror sports
    style self allure glamour details talk wired nature science parade spin slate salon monster square stripe block
    snap zoom match signal bond price young long short strong rich good little major new low small high early wise
    nice reading mobile deal battle spring winter summer will may
    """)
# Words that follow the name of a company or a person, and hardly ever the ordinary word.
DEEDS = word_set("""
    said says announced announces reported reports declined agreed plans planned told disclosed acquired bought sold
    filed hired named owns employs operates
    spokesman spokeswoman spokesperson officials executives employees shareholders shares stock stores
    magazine newspaper
    """)
# After "Time's" they show that it is short for "Time is".
AFTER_IS = word_set("a an the up too not been no on out over now here there getting still never")
