"""What a page of the benchmark's web is made of; the renderers turn it into HTML."""

from dataclasses import dataclass
from random import Random

_VOCABULARY = (
    "about after again along among another around because before began behind being between both "
    "bring build called carry change city close cold common could country course cross day early "
    "earth east enough every example family far field final find first five follow food form found "
    "friend front garden gave general given gold great green ground group grow half hand head heard "
    "high hold home house hundred idea inch island keep kind king known land large last late learn "
    "leave letter light line list little long low machine made main mark measure might mile minute "
    "moon morning mountain move much music name near need never new night north note nothing notice "
    "number object ocean often open order other paper part pass pattern people piece place plain "
    "plan plant point power press problem produce question quick rain reach ready rest river road "
    "rock room round rule science sea second sentence several shape ship short should side simple "
    "small snow some song sound south space stand star state step still stood story street strong "
    "study such summer sun surface system table teach thing think though thousand thought through "
    "time together top toward travel tree true under unit until usual vowel voice walk warm watch "
    "water week west wheel where which while white whole wind winter without wonder word work world "
    "write year young"
)
WORDS = _VOCABULARY.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    host: str
    number: int
    title: str
    links: list[str]
    scale: float  # how large it is, compared with an average page of its web
    random: Random

    def words(self, count: int) -> str:
        return " ".join(self.random.choices(WORDS, k=count))

    def sentences(self, count: int) -> str:
        return " ".join(f"{self.words(12).capitalize()}." for _ in range(count))


def path_of(number: int) -> str:
    return f"/articles/{number}.html" if number else "/"
