"""Which small words change what a claim says, and which large ones do not."""

from scoring.text.lexicon import word_set
from scoring.text.words import stem

NEGATORS = word_set("""
    not no never none nobody nothing neither nor nowhere without hardly barely scarcely cannot n't
    """)
QUANTIFIERS = {
    word: kind
    for kind, words in {
        "all": "all every each both everybody everyone everything everywhere always entirely completely",
        "most": "most majority mostly usually mainly",
        "some": "some several somebody someone something sometimes partly certain",
        "many": "many much lots often",
        "few": "few rarely seldom",
        "any": "any anybody anyone anything ever",
        "only": "only exclusively solely just merely",
        "body": "nobody",
    }.items()
    for word in words.split()
}
"""Words of one kind stand for each other; between kinds lies the difference between most and all."""

MODALS = {
    word: kind
    for kind, words in {
        "future": "will shall won't",
        "possible": "may might could can can't cannot couldn't",
        "conditional": "would wouldn't if unless",
        "obliged": "must should shouldn't ought",
    }.items()
    for word in words.split()
}
PAST = word_set("was were did wasn't weren't didn't")
PRESENT = word_set("is are am does do isn't aren't doesn't don't")
PERFECT = word_set("has have had hasn't haven't hadn't having")
BE = word_set("is are was were be been being isn't aren't wasn't weren't am")
PARTICIPLES = word_set("""
    beaten stolen given taken written driven broken chosen known seen shown grown eaten fallen hidden spoken sworn
    torn worn born drawn flown thrown blown begun done gone proven forgotten forbidden shaken frozen ridden risen
    """)
"""Those that are no past form too."""
SAME_PAST = word_set("cut put hit hurt read spread set let shut cost split quit bet burst shed rid upset thrust")
"""Written alike in every tense, so that nothing can be told from them."""

STEERING = word_set("""
    against than before after until since except despite instead up down off over under above below out outside
    within beyond through more less fewer again yet still already or when while once now here same other
    """)
"""Small words that turn a statement round: they must be in both claims."""
DIRECTED = word_set("from to than against towards toward onto via")
"""Prepositions whose two ends may not change places."""
LOOSE = word_set("""
    in on at during for over with near between among since after before until about because under into within by as
    around off upon through above below
    """)
"""Prepositions whose phrase may stand elsewhere in the sentence."""
PLACING = word_set("in at on into within")
"""Loose ones that may stand for each other."""
JOINING = PLACING | {"of", "for"}
"""Loose ones whose word may also stand before the noun: "a court in Vienna", "a Vienna court"."""
PRONOUNS = {
    word: f"<{kind}>"
    for kind, words in {
        "he": "he him his himself",
        "she": "she her hers herself",
        "they": "they them their theirs themselves",
        "we": "we us our ours ourselves",
        "i": "i me my mine myself",
        "you": "you your yours yourself yourselves",
        "who": "who whom whose",
    }.items()
    for word in words.split()
}
"""Nobody knows whom they mean, but two of them do not mean the same."""
DETERMINERS = word_set("the a an this that these those its his her their our")
MOVABLE = frozenset(
    map(
        stem,
        word_set("""
        today tomorrow yesterday tonight worldwide nationwide last next winter summer spring autumn week month year
        monday tuesday wednesday thursday friday saturday sunday january february march april june july august
        september october november december
        """),
    )
)
"""When and how widely: words that may stand at either end of the sentence without a preposition."""
SYMMETRIC = frozenset(map(stem, word_set("married marry marries met meets meet wed divorced borders")))
"""What the first does with the second, the second does with the first."""
CALLS = word_set("breaking update alert exclusive urgent attention news really actually simply very please there")
"""Words that call for attention and say nothing."""
COURTESY = word_set("mr mrs ms dr prof sir")

_SAME = """
buy bought purchase purchased; sell sold; win won; lose lost; beat beaten; steal stole stolen; shoot shot; fall fell
rise rose; build built; find found; child children kid; make made; give gave; take took; write wrote written
hold held; hire hired; speak spoke spoken; send sent; begin began begun; break broke broken; know knew known
see saw seen; pay paid; keep kept; lead led; leave left; meet met; say said; spend spent; teach taught; tell told
think thought; throw threw thrown; catch caught; fight fought; bring brought; choose chose chosen; drive drove
grow grew grown; hide hid hidden; strike struck; die died; coronavirus covid
"""
_CANONICAL = {
    stem(word): stem(group.split()[0])
    for group in _SAME.replace(";", "\n").splitlines()
    if group.strip()
    for word in group.split()
}
# "found" is as often a verb of its own, and "left" a side: they stand for themselves.
for _own in ("found", "left", "saw"):
    _CANONICAL.pop(stem(_own), None)


def canonical(word: str) -> str:
    """One form for all forms of a word: the stem, the base of an irregular verb, the plain one of a few pairs."""
    stemmed = stem(word)
    return _CANONICAL.get(stemmed, stemmed)
