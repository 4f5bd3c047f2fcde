"""Words that tell names from other capitalised words."""

from scoring.text.lexicon import word_set
from scoring.text.units import MONTHS

# Words that join two parts of one name: "Angela van der Berg", "Alexander the Great".
JOINING = word_set("de da del der di du la le van von bin al the")
# "of" and "for" join them only after such a word or a single one: "Bank of England", not "Ann Lee of Oxfam".
INSTITUTIONS = word_set(
    """
    academy administration agency association bank board bureau cathedral center centers centre centres chamber church
    city college commission committee council court department duke earl faculty federation fund gulf house institute
    institutes isle king kingdom league lord ministry museum office organisation organization prince princess queen
    republic school secretary society state states statue strait tower union university
    """
)
# Written before a name, but no part of it.
TITLES = word_set(
    """
    actor actress captain chancellor chief colonel congressman congresswoman deputy doctor dr general gov governor
    judge justice mayor minister mr mrs ms president prime prof professor rep representative secretary sen senator
    sergeant sir
    """
)
ABBREVIATIONS = word_set("mr mrs ms dr st prof gen sen rep gov sgt jr sr no vs")
# Capitalised in English although they name nobody and nothing.
NEVER_NAMES = MONTHS | word_set("monday tuesday wednesday thursday friday saturday sunday celsius fahrenheit i")
# Words that open a sentence with a capital letter without naming anything.
OPENERS = word_set(
    """
    according although another anyone around breaking despite even everybody everyone everything experts fact
    following four five first given half here hundreds last later less like many meanwhile millions nearly never new
    news next nobody none nothing officials often one people perhaps really recent report reports research
    researchers scientists second seven several since six someone something sometimes soon still studies study ten
    thousands three today together tomorrow top two unlike watch whenever yes yesterday
    """
)
SINGULAR_VERBS = word_set("is was has had does did will can became won lost said")
