"""The words by which sentences of a draft are told apart (003 §3.2). English; each list is one linear pattern."""

import re


def _any_of(phrases: str) -> str:
    """One alternative per comma; the longest first, so that "may not" is not read as "may"."""
    listed = (" ".join(phrase.split()) for phrase in phrases.split(","))
    return "(?:" + "|".join(sorted(filter(None, listed), key=len, reverse=True)) + ")"


def _words(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_any_of(phrases)}\b")


# What may stand in front of a claim without being part of it. Alone, it is no claim.
CONNECTOR = re.compile(
    _any_of("""
        therefore, however, moreover, furthermore, thus, hence, consequently, accordingly, nevertheless, nonetheless,
        meanwhile, additionally, finally, also, besides, similarly, likewise, instead, otherwise, overall, so, but,
        and, yes, no, sure, certainly, of course, that said, in addition, in summary, in short, in conclusion,
        in contrast, to summari[sz]e, on the other hand, as a result, for example, for instance,
        as (?:mentioned|noted|discussed|stated) (?:above|earlier|below)
    """)
    + r"(?:[,:;.!\s-]{1,4}|$)"
)
ACKNOWLEDGMENT = _words("""
    thank you, thanks(?! to), i understand, understood, acknowledged, you'?re welcome, you are welcome,
    great question, good question, i hope this, i hope that, happy to help, glad to help, i'm happy, i am happy,
    i'm glad, i am glad, sorry, i apologi[sz]e
""")
OPINION = _words("""
    i think, i believe, i feel, i guess, i suspect, i would say, i would argue, i'd say, i'd argue, in my view,
    in my opinion, in my judgment, from my perspective, from my point of view, to my mind, personally,
    it seems to me, my view is, my opinion is
""")
HYPOTHETICAL = _words("""
    suppose, supposing, imagine, hypothetically, assume, assuming, let's say, let's assume, let's suppose,
    let's imagine, let us say, let us assume, let us suppose, let us imagine, what if, for the sake of argument,
    in a hypothetical
""")
META = _words("""
    (?:this|the following|the above) (?:response|answer|summary|section|draft|overview|list|table),
    below is, below are, here is, here are, let me, as an ai, i could not find, i cannot find, i did not find,
    i couldn't find, i can't find, i didn't find,
    (?:i'll|i will|i can) (?:now )?(?:explain|describe|summari[sz]e|outline|list|provide|cover|answer)
""")
# A revised draft marks what it could not support. Such a sentence no longer asserts anything.
QUALIFIER = re.compile(
    r"\bnot (?:found|supported|confirmed) (?:in|by) (?:the )?(?:provided |retrieved )?(?:documents|sources)\b"
)
DEFINITION = re.compile(
    r"\b(?:refers? to|(?:is|are) defined as|(?:is|are) called|(?:is|are) known as|stands for|denotes|is the term for"
    r"|(?<!this )(?<!that )(?<!which )(?<!it )(?<!by )(?<!no )means(?! of| to| that))\b"
)
POLICY = _words("""
    must, shall, mandatory, required, requires?, requirements?, prohibits?, prohibited, forbidden, may not,
    not allowed, not permitted, (?:is|are) (?:allowed|permitted|obliged|eligible|entitled), needs? to, have to,
    has to, policy, policies, procedures?, regulations?, rules?
""")
CAUSAL = _words("""
    leads? to, led to, causes?, caused, results? in, resulted in, because, due to, owing to, gives? rise to
""")
TEMPORAL = _words("""
    before, after, until, since, during, prior to, followed by, precedes?, preceded, while, when
""")
AUXILIARY = _words("""
    is, are, was, were, be, been, has, have, had, does, do, did, will, would, can, could, may, might, should
""")
IMPORTANCE = _words("""
    important, importantly, critical, critically, crucial, crucially, essential, essentially, key, significant,
    significantly, primary, primarily, main, mainly, major, notable, notably, note that, in particular, necessary,
    always, never, only
""")
UNREAL = _words("were, had")
CONDITIONAL = _words("would, could, might")
CLOCK_TIME = re.compile(r"\b\d{1,2}(?::\d{2}(?::\d{2})?(?: ?[ap]\.?m\b\.?)?| ?[ap]\.?m\b\.?)")
QUESTION_END = re.compile(r"[?？؟][\"'”’»)*_\s]{0,8}$")
SENTENCE_END = re.compile(r"[.!…。！][\"'”’»)\s]{0,8}$")
MARKUP = re.compile(r"[*_`]{1,3}")
