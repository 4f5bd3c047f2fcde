"""Fixed phrases, looked for only where one of their words occurs."""

from scoring.text.overlap import Passage


class Phrases:
    """A list of lowercase phrases. Each waits for its longest word, so that most texts need no search at all."""

    def __init__(self, *phrases: str) -> None:
        self._by_word: dict[str, list[str]] = {}
        for phrase in phrases:
            self._by_word.setdefault(max(phrase.split(), key=len), []).append(f" {phrase} ")
        self.words = frozenset(self._by_word)

    def occur_in(self, passage: Passage) -> bool:
        """Whether one of the phrases occurs, as whole words."""
        words = self.words & passage.words
        if not words:
            return False
        text = f" {' '.join(passage.tokens)} "
        return any(phrase in text for word in words for phrase in self._by_word[word])
