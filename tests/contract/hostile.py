"""Texts that have broken stores before. Each must come back as it went in."""

import pytest

HOSTILE = [
    pytest.param("'; DROP TABLE jobs; --", id="sql"),
    pytest.param("}) DETACH DELETE n //", id="cypher"),
    pytest.param('"] } where: {', id="graphql"),
    pytest.param("a\x00b", id="nul"),
    pytest.param("Żółć, Ελλάδα, 東京, हिन्दी", id="scripts"),
    pytest.param("👩🏽‍🚀🏴󠁧󠁢󠁷󠁬󠁳󠁿", id="emoji"),
    pytest.param("e\u0301 is not \u00e9", id="unnormalised"),
    pytest.param("\u202eright to left\u202c\ufeff", id="controls"),
    pytest.param("%s {0} $param ?1 :name @name", id="placeholders"),
    pytest.param('NEAR(a b) OR * AND NOT ^ "', id="search syntax"),
    pytest.param("line\r\nline\ttab", id="white space"),
    pytest.param("x" * 100_000, id="100 kB"),
    pytest.param("word " * 20_000, id="100 kB of words"),
]
SHORT_HOSTILE = [case for case in HOSTILE if len(str(case.values[0])) <= 512]
LONE_SURROGATE = "half a pair \ud83d"
