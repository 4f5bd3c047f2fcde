"""Which words are finite verbs, as far as their form tells. No grammar, but enough to see where a clause begins."""

from scoring.text.lexicon import word_set

AUXILIARIES = word_set("""
    is was are were has had have does did do will would can could may might must should shall isn't wasn't
    aren't weren't hasn't hadn't haven't doesn't didn't don't won't wouldn't can't couldn't cannot
    """)
REPORTING = word_set("""
    said says say claimed claims claim stated states argued argues told announced announces believes
    believed thinks thought reported reports suggests suggested promised denies denied
    """)
IRREGULAR_PASTS = word_set("""
    became began bent bet bit bled blew bore bought bound bred broke brought built burnt burst came caught
    chose clung cost crept cut dealt drank drew drove dug ate fell fed felt fled flew forbade forgave forgot
    fought found froze gave went got grew ground hid hit held hung hurt kept knelt knew laid lay led leapt
    learnt left lent let lit lost made meant met paid put quit ran rang read rid rode rose sang sank sat saw
    sent set sewed shed shone shook shot showed shrank shut slept slid slung sold sought spat sped spent
    split spoke sprang spread spun stole stood strode struck strung stuck stung stank swam swept swore swung
    taught threw thrust told tore took trod understood underwent upheld upset wept woke won wore wove wound
    withdrew withstood wrote
    """)
# Base forms whose -s form can be told from a plural by what follows it.
_BASES = word_set("""
    accept achieve act add admit affect agree allow announce appear apply argue arrive ask attack attend ban
    bar base beat become begin believe belong block boost break bring build burn buy call carry cause
    celebrate challenge change charge choose claim close collect combine come compare compete complete
    confirm connect consist contain continue contribute control convert cost cover create cross cure cut
    damage deal decide decline defend define deliver demand deny depend describe design destroy develop die
    disappear discover divide double drink drive drop earn eat employ enable encourage end enjoy enter
    escape establish examine exceed exist expand expect explain export express extend face fail fall feature
    feed feel fight fill find finish fit fly follow force form gain generate get give go govern grow handle
    happen hate have head help hide hold host hunt hurt identify ignore import improve include increase
    indicate infect influence inhibit inspire intend introduce invade invent invest involve isolate join
    keep kill know lack last lead learn leave lie like link list live lose love lower maintain make manage
    manufacture mark marry mean measure meet mention mix move need occupy occur offer open operate oppose
    order originate own pass pay perform plan play point pose possess prefer prepare present prevent print
    produce prohibit promote propose protect prove provide publish raise range rank reach read receive
    recognize recommend record reduce refer reflect refuse regard reject relate release remain remember
    remove replace represent require resemble resign respond rest result return reveal rise rule run save
    say see seek seem sell send separate serve set settle share show sign sing sit sleep smoke speak
    specialize spend spread stand star start state stay stop store stretch strike study suffer suggest
    supply support surround survive swim take talk teach tell tend threaten throw trace trade train transmit
    travel treat turn undergo understand use vary violate visit vote wait walk want warn watch wear weigh
    welcome win wish work write
    """)
# Verbs whose -s form is as often a plural noun: they count only with an object right behind them.
_OFTEN_NOUNS = word_set("""
    acts attacks bans bars bases calls causes challenges changes charges claims controls costs covers cuts
    damages deals declines demands designs drinks drives drops ends exports faces falls features feeds
    fights fills forms gains grounds hosts imports increases influences lacks leads lies likes links lists
    lives marks measures mentions moves needs offers opens orders plans plays points presents prints ranges
    ranks reads records releases rests results returns rises rules runs saves shares shows signs sleeps
    smokes stands stars starts states stays stops stores strikes studies supplies supports talks tends
    threats trades trains travels treats turns uses visits votes walks wants wears works
    """)
_NOT_PAST = word_set("""
    need seed speed breed hundred red bed shed feed greed bleed indeed exceed proceed succeed sacred naked
    united limited so-called based wicked kindred hatred
    """)
_DETERMINERS = word_set("the a an this that these those his her its their our my your some any each every no all both")
_PREPOSITIONS = word_set("of in on at by for from with to into over under between among as than about after before")


def _third_person(base: str) -> str:
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


_PRESENT = frozenset(_third_person(base) for base in _BASES)


def is_finite(words: list[str], index: int) -> bool:
    """Whether the word at `index` is a finite verb, judged with the word after it."""
    word = words[index]
    if word in AUXILIARIES or word in IRREGULAR_PASTS:
        return True
    if word.endswith("ed") and word.islower() and len(word) > 3 and word not in _NOT_PAST:
        return True
    if word not in _PRESENT:
        return False
    following = words[index + 1] if index + 1 < len(words) else ""
    return word not in _OFTEN_NOUNS or _takes_object(following)


def finite_verbs(words: list[str]) -> list[int]:
    """Indices of the finite verbs of a clause; if there is none for sure, of the words that could be one."""
    sure = [index for index in range(len(words)) if is_finite(words, index)]
    return sure or [index for index in range(1, len(words)) if words[index] in _PRESENT]


def _takes_object(following: str) -> bool:
    if not following or following in _PREPOSITIONS or following in AUXILIARIES or following in IRREGULAR_PASTS:
        return following in ("to", "as")
    return following in _DETERMINERS or following.isdigit() or following.isalpha()
