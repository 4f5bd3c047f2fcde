"""Words that numbers are made of and words that say what a number measures."""

from collections.abc import Mapping

from scoring.text.lexicon import word_set


def _names(table: Mapping[str, str]) -> dict[str, str]:
    return {name: canonical for canonical, names in table.items() for name in names.split()}


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL_NUMBERS: Mapping[str, float] = {word: float(n) for n, word in enumerate(_ONES.split())} | {
    word: 10.0 * n for n, word in enumerate(_TENS.split(), start=2)
}
SCALES: Mapping[str, float] = {
    "hundred": 1e2,
    "dozen": 12.0,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
# Only when written without a space ("5bn"); "m" also only after a currency, because "5m" may be five metres.
LETTER_SCALES: Mapping[str, float] = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "tn": 1e12}
PARTS: Mapping[str, float] = {
    "half": 0.5,
    "halves": 0.5,
    "third": 1 / 3,
    "thirds": 1 / 3,
    "quarter": 0.25,
    "quarters": 0.25,
    "fifth": 0.2,
    "fifths": 0.2,
    "tenth": 0.1,
    "tenths": 0.1,
}
PERCENT = frozenset(("%", "percent", "percentage", "pct"))
CURRENCY_SIGNS: Mapping[str, str] = {"$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
CURRENCY_WORDS: Mapping[str, str] = _names(
    {
        "USD": "usd dollar dollars $",
        "EUR": "eur euro euros €",
        "GBP": "gbp £",
        "JPY": "yen ¥",
        "INR": "rupee rupees ₹",
    }
)
MEASURES: Mapping[str, str] = _names(
    {
        "km": "km kilometre kilometres kilometer kilometers",
        "m": "m metre metres meter meters",
        "cm": "cm centimetre centimetres centimeter centimeters",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "mi": "mile miles",
        "ft": "ft foot feet",
        "kg": "kg kilogram kilograms kilo kilos",
        "g": "g gram grams",
        "mg": "mg milligram milligrams",
        "t": "tonne tonnes ton tons",
        "l": "litre litres liter liters",
        "ml": "ml millilitre millilitres milliliter milliliters",
        "°C": "celsius °c",
        "°F": "fahrenheit °f",
        "degree": "degree degrees °",
        "h": "hour hours",
        "min": "minute minutes",
        "s": "second seconds",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years",
        "mph": "mph",
        "km/h": "kmh kph",
        "kW": "kw",
        "MW": "mw",
        "GW": "gw",
        "ppm": "ppm",
    }
)
MONTHS = word_set(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
# "type 2", "phase 3": the number names a thing and counts nothing.
LABELS = word_set("type phase stage grade chapter article section level number version group class round page no")
# Before a four-digit number, these say that it is a year even if a plural follows ("the 2020 elections").
YEAR_LEADS = MONTHS | word_set("in since until from during by the of early late mid between and before after")
# Plural nouns that do not end in "s".
PLURALS = word_set("people men women children police deer fish sheep cattle")
