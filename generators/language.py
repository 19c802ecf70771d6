"""Languages of documents, with their words for every family of questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from . import copy, evidence, haystack, multihop
from .en import chains as en_chains
from .en import haystack as en_haystack
from .en import passages as en_passages
from .en import records as en_records
from .zh import chains as zh_chains
from .zh import haystack as zh_haystack
from .zh import passages as zh_passages
from .zh import records as zh_records

Code = Literal["en", "zh"]


@dataclass(frozen=True)
class Language:
    """Words of one language."""

    between: str
    """Separator of sentences."""
    haystack: haystack.Haystack
    records: evidence.Words
    passages: copy.Words
    chains: multihop.Words


LANGUAGES: Mapping[Code, Language] = {
    "en": Language(" ", en_haystack.HAYSTACK, en_records.RECORDS, en_passages.PASSAGES, en_chains.CHAINS),
    "zh": Language("", zh_haystack.HAYSTACK, zh_records.RECORDS, zh_passages.PASSAGES, zh_chains.CHAINS),
}
