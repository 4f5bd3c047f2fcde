"""What words mean to each other: opposites, words that may stand for each other, and words that deny."""

import re

from scoring.text.lexicon import word_set
from scoring.text.words import stem

_OPPOSITES = """
rise fall; rise drop; rise decline; rise decrease; rise shrink; rise sink; rise plunge; rose fell; rose dropped
rose declined; rose decreased; increase decrease; increase reduce; increase lower; increase fall; increase fell
increase drop; increase decline; increase cut; grow shrink; grew shrank; grow decline; grew declined; grew fell
gain lose; gain loss; gained lost; win lose; won lost; accept reject; accept refuse; approve reject
approve block; pass reject; passed rejected; pass fail; adopt reject; allow ban; allow forbid; allow prohibit
permit ban; permit prohibit; legal illegal; lawful unlawful; uphold overturn; upheld overturned; uphold strike
upheld struck; confirm deny; confirm refute; admit deny; open close; opened closed; reopen close; start end
begin end; began ended; start stop; begin stop; continue stop; continue end; keep abandon; build demolish
create destroy; built demolished; survive die; survived died; arrive leave; arrived left; enter leave
join leave; joined left; include exclude; support oppose; back oppose; favour oppose; favor oppose
agree disagree; guilty innocent; convict acquit; convicted acquitted; guilty acquitted; arrest release
safe dangerous; safe unsafe; safe harmful; effective ineffective; harmful harmless; beneficial harmful
cause prevent; caused prevented; help harm; improve worsen; improved worsened; better worse; best worst
strengthen weaken; higher lower; highest lowest; large small; larger smaller; largest smallest; big small
bigger smaller; biggest smallest; long short; longer shorter; longest shortest; older younger; oldest youngest
oldest newest; early late; earlier later; more fewer; more less; most least; many few; north south; east west
northern southern; eastern western; hot cold; warm cold; wet dry; full empty; true false; correct incorrect
possible impossible; known unknown; public private; expand shrink; expand contract; raise lower; raised lowered
raise cut; raised cut; hire fire; hired fired; success failure; succeed fail; succeeded failed
positive negative; major minor; present absent; attend miss; attended missed; natural artificial; remain leave
advance retreat; peace war; ally enemy; friend enemy; love hate; urban rural; domestic foreign; rich poor
strong weak; fast slow; faster slower; easy difficult; easy hard; common rare; always never; all none
everyone nobody; everybody nobody; everything nothing; both neither; voluntary mandatory; optional mandatory
temporary permanent; partial complete; symptomatic asymptomatic; infected uninfected; vaccinated unvaccinated
employed unemployed; married unmarried; married divorced; single married; contagious harmless
"""

_KIN = """
rise rose risen increase grow grew grown climb soar surge jump up higher
fall fell fallen decrease decline drop shrink shrank sink sank plunge slump down lower reduce cut lessen
approve pass adopt back endorse accept; reject refuse oppose block veto dismiss; win won victory beat triumph
lose lost loss; build built construct erect; begin began begun start launch commence; end finish conclude stop halt
close shut closure; open reopen inaugurate; say said state tell told declare announce report; die died dead death
kill killed slain murder; buy bought purchase acquire acquisition; sell sold sale; make made produce manufacture
movie film picture; car vehicle automobile; doctor physician; company firm business corporation
staff workforce employee worker personnel; pupil student; child children kid; people person resident inhabitant
show demonstrate reveal indicate find found; cause lead trigger provoke result; help aid assist
injure hurt wound; large big huge; small little tiny; law legislation act statute; vote ballot; mayor mayoral
elect election; leave left depart; arrive came come; marry married wed wedding marriage
author writer wrote write written; direct director directed; sing singer sang; play player; jail prison imprison
study research trial investigation investigate; ban prohibit forbid outlaw; allow permit let
launch release publish issue; appoint name nominate; resign quit resignation; attack assault strike; fire blaze
storm hurricane cyclone; quake earthquake tremor; flood flooding; rain rainfall; cost price; earn gross revenue
receive get got; hold held; give gave given donate; found establish create; teach taught teacher
base locate situate headquarter; live reside dwell; cure heal treat remedy; vaccine vaccination jab inoculation
infection infect; coronavirus covid; town city; spend spent; attend present; absent absence
australia australian; britain british; france french; germany german; spain spanish; italy italian
america american; china chinese; russia russian; japan japanese; india indian; canada canadian
europe european; mexico mexican; ireland irish; sweden swedish; norway norwegian; denmark danish
netherlands dutch; poland polish; greece greek; turkey turkish; egypt egyptian; brazil brazilian
"""


# What passes on talk: somebody said so, nobody stands for it.
HEARSAY = re.compile(
    r"\b(?:(?:we|i) (?:hear|heard)\b|or so \w+ (?:hear|say|said)|rumou?r has it|little bird|word (?:is|has it)"
    r"|(?:some|any)?(?:body|one|people|friend|mate|neighbou?r|sister|brother|cousin|source|insider)s? "
    r"(?:says?|said|tells?|told|claims?|wrote|read|heard|reckons?)\b|tells? us that|it is said)",
    re.IGNORECASE,
)


def _entries(table: str) -> list[list[str]]:
    """The entries of a table above, each a list of stems: separated by semicolons and line ends."""
    return [[stem(word) for word in entry.split()] for entry in table.replace(";", "\n").splitlines() if entry.strip()]


def _kin() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, words in enumerate(_entries(_KIN)):
        for word in words:
            groups.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


OPPOSITES = frozenset(frozenset(entry) for entry in _entries(_OPPOSITES))
KIN = _kin()

NEGATIONS = word_set("""
    not no never incapable failure inability none nobody nothing neither nor without cannot n't nowhere
    hardly barely unable fail failed fails denied denies deny refuted refutes refute debunked debunks debunk
    false falsely untrue incorrect wrong wrongly myth hoax fabricated fake lacks lacked lack refused refuses
    refuse unlikely contrary disproved disproves
    """)

# What only one can be or do: another name in its place contradicts. Many can be released somewhere or play a game.
ROLES_FOR_ONE = frozenset(
    stem(word)
    for word in word_set("""
    elected appointed won winner champion mayor president minister chancellor chairman chairwoman chief
    captain capital headquarters born founded founder invented inventor discovered wrote author directed
    director composed composer designed architect married killed defeated beat located largest smallest
    highest tallest oldest first
    """)
)

# A claim that says one of these is not shown by a source that does not.
ABSOLUTES = word_set("only all every always exclusively ever entirely everyone everybody most majority")

# What makes a passage speak of something that may not have happened.
HEDGES = word_set("""
    may might could alleged allegedly rumour rumours rumor rumors rumoured rumored reportedly purported
    purportedly claims claimed claim claiming suggested speculation speculated if whether would possibly
    perhaps supposedly proposed planned expected hoped threatened
    """)


def are_opposites(one: str, other: str) -> bool:
    """Whether two stems exclude each other when said of the same thing."""
    return one != other and frozenset((one, other)) in OPPOSITES


def are_kin(one: str, other: str) -> bool:
    """Whether one stem may stand for the other."""
    return one == other or not KIN.get(one, frozenset()).isdisjoint(KIN.get(other, frozenset()))
