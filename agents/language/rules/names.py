"""Words that help to tell names from other capitalised words: titles, heads of organisations, nationalities, pairs."""

from scoring.text.lexicon import word_set

# Before a person's name; not part of it.
TITLES = word_set("""
    mr mrs ms miss dr prof professor president chancellor prime minister premier mayor senator governor
    judge justice captain colonel general sergeant councillor councilman congressman congresswoman secretary
    ambassador chief coach director actor actress singer author
    """)

# What follows belongs to the name, also after "for" and "and": "Centers for Disease Control and Prevention".
ORGANISATION_HEADS = word_set("""
    academy administration agency alliance association authority bureau campaign center centers centre
    centres coalition college commission committee conference congress convention council court department
    doctors federation foundation fund institute institution ministry movement national office organisation
    organization party royal school secretariat society treaty trust union university
    """)

NATIONALITIES = word_set("""
    african american arab argentine asian australian austrian belgian brazilian british bulgarian canadian
    chilean chinese colombian croatian cuban czech danish dutch egyptian english estonian european finnish
    french georgian german greek hungarian icelandic indian indonesian iranian iraqi irish israeli italian
    japanese kenyan korean latvian lebanese lithuanian malaysian mexican moroccan nigerian norwegian
    pakistani palestinian persian peruvian polish portuguese romanian russian saudi scottish serbian slovak
    slovenian somali spanish swedish swiss syrian taiwanese thai turkish ukrainian vietnamese welsh
    """)

# Names and set phrases that an "and" holds together. Left and right word, lowercase.
_PAIRS = """
trinidad tobago; bosnia herzegovina; antigua barbuda; kitts nevis; principe sao; tome principe; turks caicos
wallis futuna; marks spencer; procter gamble; johnson johnson; simon garfunkel; tyne wear; barnes noble
standard poor; smith wesson; newfoundland labrador; church dwight; sodom gomorrah; romeo juliet; adam eve
hansel gretel; tom jerry; dungeons dragons; food drug; control prevention; research development; supply demand
law order; trial error; terms conditions; arts crafts; health safety; salt pepper; bread butter; fish chips
black white; men women; boys girls; mother father; father mother; mother child; brothers sisters; husband wife
profit loss; rules regulations; aches pains; pros cons; back forth; up down; more more; again again; over over
through through; safe effective; safe sound; peace quiet; war peace; cause effect; crime punishment
ladies gentlemen; rock roll; rhythm blues; bed breakfast; mergers acquisitions; information technology
import export; imports exports; flora fauna; mind body; body soul; past present; day night; young old; rich poor
science technology; education research; search rescue; hide seek; cut paste; trade industry; nuts bolts
plain simple
"""
PAIRS = frozenset(
    (entry.split()[0], entry.split()[1]) for entry in _PAIRS.replace("\n", ";").split(";") if entry.strip()
)

# Capitalised at the start of a sentence, these are things, not names.
COMMON_OPENERS = word_set("""
    water coffee tea air food oil gas wine beer sugar salt milk bread rice meat fish fruit smoking drinking
    unemployment inflation crime climate energy power rain snow fire wind wages prices rents taxes exports
    imports sales profits people women men children students pupils teachers doctors nurses patients workers
    farmers police scientists voters spending research health money cancer malaria measles flu alcohol
    tobacco aspirin caffeine vitamin chocolate garlic cats dogs birds bees sharks whales trees plants cars
    trains buses planes parliament government congress chromatography since despite during although because
    according yesterday today tomorrow many several few some most all another both experts officials
    researchers studies critics reports news iphones windmills vaccines masks lockdowns everyone somebody
    nobody life death love war peace time
    """)
ABSTRACT_ENDINGS = ("tion", "sion", "ment", "ness", "ity", "ism", "ics", "ance", "ence", "ology", "ing", "ly")
