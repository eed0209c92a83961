"""Words in the first sentence of a page that show what it is about, and words that say nothing.

All are in lower case, in the singular and without accents. The last word of a compound counts ("football club").
"""

from __future__ import annotations

from corpus.lexicon import word_set

PERSON_WORDS = word_set("""
    person man woman boy girl people brother sister twin son daughter wife husband widow mother father child nephew
    niece grandson granddaughter heir citizen native figure personality celebrity socialite survivor
    politician statesman stateswoman president chancellor premier minister secretary senator congressman
    congresswoman representative legislator deputy governor mayor councillor councilman councilwoman councilor
    diplomat ambassador envoy official administrator bureaucrat activist campaigner reformer revolutionary rebel
    dissident suffragist suffragette abolitionist feminist lobbyist strategist adviser advisor leader candidate
    king queen prince princess emperor empress tsar sultan emir sheikh shah pharaoh duke duchess earl count countess
    baron baroness viscount marquess knight lord lady noble nobleman noblewoman monarch ruler regent courtier chieftain
    lawyer attorney barrister solicitor judge justice jurist magistrate prosecutor litigator notary
    soldier officer general admiral colonel captain lieutenant sergeant commander marshal sailor pilot aviator
    airman astronaut cosmonaut spy agent veteran heroine hero chief commentator contributor fundraiser comic
    mercenary warlord guerrilla terrorist militant
    criminal gangster mobster murderer killer assassin thief fraudster pirate outlaw
    businessman businesswoman businessperson entrepreneur executive banker financier investor industrialist
    manufacturer merchant trader magnate tycoon philanthropist founder chairman chairwoman ceo economist accountant
    consultant broker manager director hotelier restaurateur publisher
    writer author novelist poet playwright dramatist essayist critic columnist journalist reporter editor
    correspondent broadcaster presenter host anchor blogger biographer translator lyricist librettist screenwriter
    scriptwriter humorist satirist cartoonist illustrator storyteller diarist lexicographer encyclopedist
    actor actress comedian comedienne entertainer performer singer soprano tenor baritone contralto
    rapper musician composer conductor pianist violinist cellist guitarist drummer bassist organist saxophonist
    trumpeter flautist flutist harpist vocalist songwriter dj producer filmmaker
    director cinematographer choreographer dancer ballerina magician model supermodel impresario
    artist painter sculptor engraver printmaker photographer architect designer ceramicist potter goldsmith
    draftsman curator calligrapher jeweller jeweler
    scientist physicist chemist biologist botanist zoologist geologist astronomer mathematician statistician
    physician doctor surgeon nurse midwife psychiatrist psychologist psychoanalyst neurologist pharmacist dentist
    pathologist epidemiologist biochemist geneticist ecologist naturalist entomologist ornithologist palaeontologist
    paleontologist meteorologist oceanographer geographer cartographer hydrographer explorer mountaineer
    engineer inventor programmer technologist researcher academic academician professor lecturer teacher educator
    schoolteacher schoolmaster headmaster scholar historian philosopher theologian linguist philologist classicist
    archaeologist anthropologist sociologist folklorist antiquary orientalist librarian archivist musicologist
    veterinarian agronomist horticulturist gardener farmer rancher miner worker carpenter printer clockmaker
    priest bishop archbishop cardinal pope monk nun abbot abbess rabbi imam cleric clergyman minister missionary
    preacher evangelist saint mystic prophet martyr reverend pastor guru
    athlete champion medalist medallist competitor partner footballer player
    goalkeeper striker defender midfielder winger forward
    quarterback linebacker pitcher catcher outfielder infielder shortstop baseman coach trainer referee umpire
    cricketer batsman bowler golfer swimmer diver runner sprinter hurdler jumper thrower boxer wrestler fencer judoka
    cyclist rower sailor skier skater snowboarder biathlete gymnast weightlifter curler jockey driver
    racer racewalker marathoner triathlete decathlete heptathlete paralympian olympian surfer climber archer shooter
    grandmaster equestrian canoeist kayaker luger bobsledder bullfighter
    chef cook winemaker brewer expert specialist analyst therapist practitioner professional member
    developer contractor operator
    advocate organizer organiser promoter patron collector dealer adventurer pioneer settler colonist slave
    """)

LOCATION_WORDS = word_set("""
    city town village hamlet settlement municipality commune borough district ward suburb neighborhood neighbourhood
    locality township parish county shire province prefecture oblast department canton region area territory
    state country nation republic kingdom empire emirate principality duchy sultanate dependency colony capital
    metropolis body community cdp conurbation quarter seat subdistrict exclave enclave water basin continent
    subcontinent
    peninsula island islet isle atoll archipelago cape headland coast beach bay gulf fjord
    strait sound channel sea ocean lagoon lake loch pond reservoir river stream creek brook tributary canal estuary
    delta waterfall spring glacier mountain mount peak summit hill ridge range massif volcano plateau plain valley
    gorge canyon desert steppe forest wood jungle savanna swamp marsh wetland oasis cave crater
    park garden reserve square street avenue road boulevard highway motorway freeway route bridge tunnel dam
    building villa mansion residence sanctuary arch lagoon skyscraper
    tower castle palace fortress fort citadel ruin monument memorial mausoleum tomb cemetery
    mosque shrine pagoda place site resort farm estate ranch mine quarry landmark border wall gate
    """)

ORGANIZATION_WORDS = word_set("""
    company corporation firm business enterprise conglomerate multinational subsidiary division brand manufacturer
    maker producer provider supplier operator distributor retailer wholesaler contractor developer publisher
    bank insurer broker brokerage fund exchange startup consultancy chain supermarket airline carrier railway
    railroad shipyard brewery winery distillery utility refiner automaker chaebol keiretsu cooperative
    marketplace house arm marque
        partnership venture franchise label studio broadcaster network agency bureau
    organization organisation association society foundation charity institute institution federation confederation
    union league alliance council committee commission authority board body ministry department administration
    government parliament senate legislature assembly congress court tribunal judiciary police service force
    army navy militia regiment brigade battalion corps guard party movement faction front group coalition bloc
    club team squad band orchestra choir ensemble quartet trio duo troupe ballet philharmonic
    newspaper magazine journal periodical tabloid daily weekly programme project program consortium cartel syndicate
    gang sect leader member pioneer specialist dealer brewer
    order congregation denomination brotherhood fraternity sorority lodge academy tank
    """)

# Buildings that house an institution: a newspaper's index may list them as either.
PLACE_AND_ORGANIZATION_WORDS = word_set("""
    university college school academy seminary hospital clinic museum gallery library archive theater theatre cinema
    opera church cathedral temple synagogue abbey monastery convent basilica chapel airport station port harbor
    harbour stadium arena hotel restaurant bar nightclub casino mall store shop prison jail zoo aquarium observatory
    laboratory factory plant mill base embassy studio market exchange diocese archdiocese union bloc cooperative
    """)

# A page about one of these is not about a person, location or organization.
OTHER_WORDS = word_set("""
    film movie documentary album song single ep soundtrack novel novella book poem play musical comic manga
    anime series sitcom show episode drama telenovela soap painting sculpture statue symphony concerto game
    software app website blog podcast language dialect alphabet word term phrase name surname
    forename nickname title concept theory theorem method technique phenomenon
    war battle siege campaign treaty agreement act law bill constitution referendum election riot massacre
    earthquake hurricane storm flood disaster accident crash attack bombing scandal case trial
    championship tournament cup season race olympics festival award prize medal holiday
    species genus family subfamily fungus tree flower fish bird insect beetle moth butterfly spider
    frog snake lizard mammal breed dinosaur bacterium virus disease syndrome drug compound mineral protein enzyme
    gene ship boat yacht vessel submarine destroyer cruiser frigate battleship locomotive aircraft airplane helicopter
    missile rocket satellite spacecraft car automobile motorcycle rifle gun engine
    dish food cheese wine beer soup cocktail beverage dance sport list asteroid moon planet star galaxy
    constellation character
    """)

# Words that end the first noun phrase of a definition.
PHRASE_ENDS = word_set("""
    of in on at from for with by who whom whose that which where when to near between as located situated based known
    founded established born best since until during about over under along within headquartered
    serving used made he she it they
    """)

# Nouns that quantify what follows: "a body of water", "the name of several lakes".
QUANTITY_WORDS = word_set("""
    body group series chain complex pair set collection number name system cluster line type kind family network
    """)

# Words that unrelated English texts often share, which are no evidence that two texts are about the same thing.
COMMON_WORDS = word_set("""
    a about above according across after again against ago all almost along already also although always am among an
    and another any anyone anything are area around as at away back be became because become been before began begin
    being below best better between beyond big born both but by call called came can cannot case century change city
    close come company consider could country current currently day days death decade did different do does done down
    during each early east eastern eight either else end enough established even event ever every example far few
    fifth finally first five follow following for form former formerly found founded four fourth from full further
    gave general get give given go good got great group had half has have he head held help her here high him himself
    his history home house how however hundred i if important in include included including into is it its itself
    january february march april may june july august september october november december just keep kept kind know
    known large largest last late later lead leader least led left less life like line little live local long look
    lost low made main major make man many may me mean member men might million mile modern month more most move much
    must my name named national nearly need never new next night nine no nor north northern not nothing now number of
    off office often old on once one only open or order original other others our out over own part party past people
    per percent person place plan play point popular population president public put rather recent recently
    remain report right run said same saw say second see seem series served set seven several shall she should show
    side similar since six small so some something sometimes soon south southern state still such take team tell ten
    term than that the their them themselves then there these they thing think third this those though thousand three
    through thus time title to today together told too took top toward town turn two type under unit united until up
    upon us use used usually various very via want war was way we week well went were west western what when where
    whether which while who whom whose why wide will with within without woman women work worked world would year
    years yet you young your
    american british english french german award based located
    approximately billion business center central centre commonly companies corporation countries currency estimated
    european financial foreign global government headquarter headquartered headquarters includes industrial industry
    inhabitants international km kilometer kilometre listed making management manufacturer market metre mostly near
    northeast northwest officially operate operates operation owned populous produce product production provide provides
    ranked region republic revenue sales service shares situated southeast southwest square states stock subsidiary
    total university urban widely won worldwide york
    """)
