from hypothesis import given
from hypothesis import strategies as st

from kveval.scoring import text_similarity

TEXTS = st.text(alphabet="ab 会议。.\n", max_size=40)


@given(TEXTS, TEXTS)
def test_it_is_symmetric_a_share_and_one_for_the_same_text(a, b):
    similarity = text_similarity(a, b)
    assert 0.0 <= similarity <= 1.0
    assert similarity == text_similarity(b, a)
    assert text_similarity(a, a) == 1.0


def test_it_counts_words_and_characters_of_scripts_without_spaces():
    assert text_similarity("one two three four", "one two tree four") == 0.75
    assert text_similarity("明天开会", "明天上会") == 0.75
    assert text_similarity("one", "") == 0.0
