"""Thirty pairs of sentences in which one late word decides what *it* means."""

from typing import NamedTuple


class MinimalPair(NamedTuple):
    """A frame with two nouns, and the words that decide for the one or the other."""

    frame: str  # {} where the deciding word stands
    nouns: tuple[str, str]
    words: tuple[str, str]  # the first decides for the first noun

    @property
    def sentences(self) -> tuple[str, str]:
        """Both sentences, which differ in one word."""
        first, second = (self.frame.format(word) for word in self.words)
        return first, second


_WRITTEN = """
The animal didn't cross the street because it was too {}. | animal street | tired wide
The dog didn't cross the river because it was too {}. | dog river | scared deep
The horse didn't jump over the fence because it was too {}. | horse fence | tired high
The cat didn't climb the tree because it was too {}. | cat tree | old tall
The bird left the cage because it was too {}. | bird cage | hungry small
The truck couldn't pass the tunnel because it was too {}. | truck tunnel | heavy narrow
The ship avoided the harbor because it was too {}. | ship harbor | big shallow
The boy ate the soup although it was {}. | soup boy | cold young
The fish swam around the rock because it was {}. | fish rock | afraid sharp
The child drank the milk because it was {}. | child milk | thirsty fresh
The player kicked the ball although it was {}. | ball player | flat injured
The cow didn't enter the field because it was {}. | cow field | sick muddy
The goat avoided the bridge because it was {}. | goat bridge | nervous broken
The lion left the cave because it was {}. | lion cave | hungry dark
The wolf crossed the valley although it was {}. | wolf valley | wounded cold
The bear couldn't enter the house because it was {}. | bear house | fat locked
The driver washed the car because it was {}. | car driver | dirty bored
The mouse didn't eat the cheese because it was too {}. | mouse cheese | frightened old
The baby didn't like the bath because it was too {}. | baby bath | sleepy hot
The student closed the window because it was {}. | window student | open cold
The king sold the castle because it was {}. | castle king | ruined greedy
The soldier left the village because it was {}. | village soldier | burning wounded
The water filled the bottle because it was {}. | bottle water | empty flowing
The train missed the station because it was {}. | train station | fast closed
The road went around the mountain because it was too {}. | road mountain | steep tall
The snake left the garden because it was {}. | snake garden | hungry flooded
The rabbit ran into the forest because it was {}. | rabbit forest | afraid safe
The machine damaged the floor because it was too {}. | machine floor | heavy soft
The teacher read the book because it was {}. | book teacher | short curious
The farmer sold the land because it was {}. | land farmer | dry poor
"""


def _pair(line: str) -> MinimalPair:
    frame, nouns, words = (part.strip() for part in line.split("|"))
    (a, b), (first, second) = nouns.split(), words.split()
    return MinimalPair(frame, (a, b), (first, second))


MINIMAL_PAIRS = tuple(_pair(line) for line in _WRITTEN.strip().splitlines())
