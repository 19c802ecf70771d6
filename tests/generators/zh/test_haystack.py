"""Chinese filler prose consists of well-formed sentences without words of questions."""

import re
from itertools import product

from hypothesis import given, settings

from kveval.generators.zh import chains, haystack, names, records

from ..test_haystack import SEEDS, first_sentences, vocabulary

ASKED = "组|第|负责|指导|地点|材料|段落|标记|章节|标题|编号|数值|文档|报告|原文|逐字"
"""Parts of words in keys of records and passages."""
KIN = "邻居|徒弟|租客|搭档|账号|牌号|证号|号码|街"
"""Parts of words for relations and attributes of people."""


@given(SEEDS)
@settings(max_examples=20)
def test_sentences_are_sentences(seed: int) -> None:
    for sentence in first_sentences(seed, haystack.HAYSTACK, 500):
        assert re.fullmatch("[\u4e00-\u9fff，；、]+[\u4e00-\u9fff]。", sentence), sentence
        assert not re.search("^[，；、]|[，；、]{2}", sentence), sentence


@given(SEEDS)
@settings(max_examples=20)
def test_no_conspicuous_word_occurs_twice_in_a_sentence(seed: int) -> None:
    for sentence in first_sentences(seed, haystack.HAYSTACK, 500):
        runs = haystack._PLAIN.split(sentence)
        words = [run[k : k + 3] for run in runs for k in range(len(run) - 2)]
        assert len(set(words)) == len(words), sentence


def test_words_of_questions_never_occur() -> None:
    kinds = [*records.RECORDS.quantities.values(), [(name, "") for name in chains.CHAINS.relations]]
    kinds += [[(name, "") for name in attributes] for attributes in chains.CHAINS.attributes.values()]
    asked = {name for kind in kinds for name, _ in kind} | {*records.RECORDS.materials}
    taken = re.compile("|".join([ASKED, KIN, "[0-9A-Za-z]", *map(re.escape, asked)]))
    for text in set(vocabulary(haystack.HAYSTACK)):
        assert not taken.search(text), text


def test_no_invented_name_comes_up() -> None:
    invented = {"".join(parts) for kind in names.KINDS for parts in product(*kind.parts)}
    for sentence in first_sentences(0, haystack.HAYSTACK, 50_000):
        assert invented.isdisjoint(sentence[k : k + 3] for k in range(len(sentence))), sentence


def test_forms_of_verbs() -> None:
    forms = dict(haystack._work(["修补/补好"], ["旧栈桥"], ["趁着退潮"]))
    assert forms == {
        "do": "修补旧栈桥",
        "did": "补好了旧栈桥",
        "took": "把旧栈桥补好了",
        "do_so": "趁着退潮修补旧栈桥",
        "did_so": "趁着退潮补好了旧栈桥",
        "took_so": "趁着退潮把旧栈桥补好了",
        "finish": "补好旧栈桥",
        "once": "修补过旧栈桥",
        "take": "把旧栈桥补好",
        "done": "旧栈桥补好了",
        "done_already": "旧栈桥已经补好了",
        "done_at_last": "旧栈桥总算补好了",
        "undone": "旧栈桥还没补好",
    }
