"""Compare kveval.stats with published values and an independent inversion of the likelihood; check properties."""

import json
import math
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kveval import stats

CASES = json.loads((Path(__file__).parents[1] / "cases" / "statistics.json").read_text())


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    """Lost, gained and n."""
    n = draw(st.integers(1, 500))
    lost = draw(st.integers(0, n))
    return lost, draw(st.integers(0, n - lost)), n


@st.composite
def cells(draw: st.DrawFn) -> tuple[list[int], list[str]]:
    """Flips of all samples and the ids of their documents, which have unequal sizes and are shuffled."""
    samples = draw(st.lists(st.tuples(st.sampled_from([-1, 0, 0, 0, 1]), st.integers(0, 9)), min_size=1, max_size=60))
    return [flip for flip, _ in samples], [f"document {document}" for _, document in samples]


def clustered(lost: int, gained: int, documents: int, questions: int, *, whole: bool) -> tuple[list[int], list[str]]:
    """A cell with so many lost and gained samples: in as few documents as possible (`whole`), or in different ones."""
    order = [(d, q) for d, q in product(range(documents), range(questions))]
    order.sort(key=lambda place: place if whole else place[::-1])
    flips = [-1] * lost + [1] * gained + [0] * (len(order) - lost - gained)
    return flips, [f"document {document}" for document, _ in order]


class TestMcNemar:
    @pytest.mark.parametrize(("lost", "gained", "p"), CASES["mcnemar_exact"])
    def test_agrees_with_the_shared_values(self, lost: int, gained: int, p: float) -> None:
        assert stats.mcnemar_exact(lost, gained) == pytest.approx(p, abs=5e-5)

    @given(st.integers(0, 300), st.integers(0, 300))
    def test_is_symmetric(self, lost: int, gained: int) -> None:
        assert stats.mcnemar_exact(lost, gained) == stats.mcnemar_exact(gained, lost)
        assert 0 < stats.mcnemar_exact(lost, gained) <= 1

    def test_rejects_negative_counts(self) -> None:
        with pytest.raises(ValueError, match="negative"):
            stats.mcnemar_exact(-1, 2)


class TestWilson:
    @pytest.mark.parametrize(("right", "n", "low", "high"), CASES["wilson95"])
    def test_agrees_with_the_shared_values(self, right: int, n: int, low: float, high: float) -> None:
        assert stats.wilson(right, n) == pytest.approx((low, high), abs=5e-5)

    def test_agrees_with_newcombe(self) -> None:
        """Newcombe 1998 (Statistics in Medicine 17:857), table I, method 3: 81 of 263 and 15 of 148."""
        assert stats.wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
        assert stats.wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)

    def test_is_zero_to_one_without_samples(self) -> None:
        assert stats.wilson(0, 0) == (0.0, 1.0)

    def test_rejects_what_is_not_a_share(self) -> None:
        with pytest.raises(ValueError, match="5 right out of 4"):
            stats.wilson(5, 4)


class TestTango:
    @pytest.mark.parametrize(
        ("lost", "gained", "n", "confidence", "limits", "within"),
        [
            # Tango 1998, section 6.2 (Karacan et al.) and, for the lower limit, 6.1 (contact lenses)
            (3, 9, 32, 0.95, (-0.027, 0.390), 5e-4),
            (1, 0, 44, 0.90, (-0.096, None), 5e-4),
            # Fagerland, Lydersen and Laake 2014, table V (airway hyper-responsiveness, Bentur et al.)
            (7, 1, 21, 0.95, (-0.517, -0.026), 5e-4),
            # R's PropCIs::scoreci.mp(60, 20, 1000)
            (60, 20, 1000, 0.95, (-0.0584, -0.0231), 5e-5),
        ],
    )
    def test_agrees_with_published_values(
        self, lost: int, gained: int, n: int, confidence: float, limits: tuple[float, float | None], within: float
    ) -> None:
        for limit, published in zip(stats.tango(lost, gained, n, confidence), limits, strict=True):
            assert published is None or limit == pytest.approx(published, abs=within)

    @pytest.mark.parametrize(("lost", "gained", "n"), [(0, 0, 20), (1, 0, 200), (0, 4, 30), (9, 1, 200), (5, 5, 12)])
    def test_inverts_the_score_test(self, lost: int, gained: int, n: int) -> None:
        """Each limit is where the score test just rejects, with the likelihood maximized by brute force."""
        for limit in stats.tango(lost, gained, n):
            losses = np.linspace(max(0.0, -limit), (1 - limit) / 2, 2_000_001)[1:-1]
            likelihood = np.zeros_like(losses)
            for count, share in ((lost, losses), (gained, losses + limit), (n - lost - gained, 1 - 2 * losses - limit)):
                likelihood += count * np.log(share) if count else 0.0
            share = losses[np.argmax(likelihood)]
            variance = (2 * share + limit - limit**2) / n
            assert abs((gained - lost) / n - limit) / math.sqrt(variance) == pytest.approx(1.959964, rel=1e-4)

    @given(counts(), st.floats(0.5, 0.999))
    def test_properties(self, cell: tuple[int, int, int], confidence: float) -> None:
        lost, gained, n = cell
        low, high = stats.tango(lost, gained, n, confidence)
        assert -1 <= low <= (gained - lost) / n <= high <= 1
        assert low < high
        assert stats.tango(gained, lost, n, confidence) == pytest.approx((-high, -low), abs=1e-9)
        wider_low, wider_high = stats.tango(lost, gained, n, (1 + confidence) / 2)
        assert wider_low <= low
        assert high <= wider_high

    @given(counts(), st.floats(1, 50))
    def test_is_wider_when_samples_count_for_less(self, cell: tuple[int, int, int], effect: float) -> None:
        lost, gained, n = cell
        low, high = stats.tango(lost, gained, n)
        deflated_low, deflated_high = stats.tango(lost / effect, gained / effect, n / effect)
        assert deflated_low <= low + 1e-9
        assert high <= deflated_high + 1e-9

    def test_has_width_without_flips(self) -> None:
        low, high = stats.tango(0, 0, 20)
        assert high == -low == pytest.approx(1.959964**2 / (20 + 1.959964**2), abs=1e-6)

    @pytest.mark.parametrize("bad", [(1, 1, 0), (-1, 0, 5), (3, 3, 5)])
    def test_rejects_impossible_counts(self, bad: tuple[int, int, int]) -> None:
        with pytest.raises(ValueError, match="not counts of pairs"):
            stats.tango(*bad)

    def test_rejects_a_percentage_as_confidence(self) -> None:
        with pytest.raises(ValueError, match="between 0 and 1"):
            stats.tango(1, 1, 5, 95)


class TestHolm:
    def test_agrees_with_statsmodels(self) -> None:
        """multipletests([0.01, 0.04, 0.03, 0.005, 0.5], method="holm")."""
        assert stats.holm([0.01, 0.04, 0.03, 0.005, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.5])

    @given(st.lists(st.floats(0, 1)))
    def test_properties(self, p_values: list[float]) -> None:
        adjusted = stats.holm(p_values)
        assert len(adjusted) == len(p_values)
        assert all(p <= q <= min(1.0, p * len(p_values)) or q == 1.0 for p, q in zip(p_values, adjusted, strict=True))
        by_p = [q for _, q in sorted(zip(p_values, adjusted, strict=True))]
        assert by_p == sorted(by_p)


class TestPower:
    def test_agrees_with_enumeration(self) -> None:
        n, lost_rate, gained_rate = 25, 0.3, 0.05
        found = 0.0
        for lost in range(n + 1):
            for gained in range(n + 1 - lost):
                ways = math.comb(n, lost) * math.comb(n - lost, gained)
                chance = lost_rate**lost * gained_rate**gained * (1 - lost_rate - gained_rate) ** (n - lost - gained)
                found += ways * chance * (lost > gained and stats.mcnemar_exact(lost, gained) <= 0.05)
        assert stats.mcnemar_power(n, lost_rate, gained_rate) == pytest.approx(found, abs=1e-9)

    def test_detectable_loss_has_the_requested_power(self) -> None:
        loss = stats.detectable_loss(400, gained_rate=0.02)
        assert loss is not None
        assert stats.mcnemar_power(400, 0.02 + loss, 0.02) == pytest.approx(0.8, abs=1e-3)

    def test_five_pairs_detect_nothing(self) -> None:
        assert stats.detectable_loss(5) is None
        assert stats.mcnemar_power(5, 0.0, 0.0) == 0.0


class TestDesignEffect:
    def test_is_one_with_one_question_per_document(self) -> None:
        flips, _ = clustered(5, 2, 50, 1, whole=False)
        ids = [str(index) for index in range(50)]
        assert stats.design_effect(flips, ids) == stats.design_effect(flips, ids, unseen=1.0) == 1.0

    @pytest.mark.parametrize("questions", [4, 20])
    def test_is_the_number_of_questions_if_they_flip_together(self, questions: int) -> None:
        cell = clustered(5 * questions, 3 * questions, 100, questions, whole=True)
        assert stats.design_effect(*cell) == pytest.approx(questions, rel=0.02)
        assert stats.design_effect(*cell, unseen=1.0) == pytest.approx(questions, rel=0.02)

    def test_is_one_if_flips_are_spread(self) -> None:
        assert stats.design_effect(*clustered(8, 3, 50, 4, whole=False)) == pytest.approx(1.0, abs=0.05)

    def test_assumes_the_worst_if_nothing_flips(self) -> None:
        assert stats.design_effect(*clustered(0, 0, 50, 4, whole=False)) == 4.0
        assert stats.design_effect([-1] * 8, ["a", "b"] * 4) == 4.0

    def test_an_unseen_document_weighs_less_the_more_flips_there_are(self) -> None:
        spread = [clustered(lost, 0, 100, 4, whole=False) for lost in (0, 1, 3, 10, 30)]
        effects = [stats.design_effect(*cell, unseen=1.0) for cell in spread]
        assert effects == sorted(effects, reverse=True)
        assert effects[0] == 4.0
        assert effects[-1] < 1.4

    def test_scale_is_a_number_of_copies(self) -> None:
        flips, ids = clustered(6, 2, 30, 4, whole=False)
        copies = [f"{copy}/{document}" for copy in range(3) for document in ids]
        expected = stats.design_effect(flips * 3, copies, unseen=1.0)
        assert stats.design_effect(flips, ids, unseen=1.0, scale=3.0) == pytest.approx(expected, rel=0.02)

    @given(cells())
    def test_properties(self, cell: tuple[list[int], list[str]]) -> None:
        plain, cautious = stats.design_effect(*cell), stats.design_effect(*cell, unseen=1.0)
        assert plain >= 1
        assert 1 <= cautious <= max(map(cell[1].count, cell[1])) * 2
        mirrored = [-flip for flip in cell[0]]
        assert stats.design_effect(mirrored, cell[1]) == pytest.approx(plain)

    def test_rejects_unequal_numbers_of_differences_and_ids(self) -> None:
        with pytest.raises(ValueError, match="2 differences and 1 document ids"):
            stats.design_effect([0, 1], ["a"])


class TestPairedInterval:
    def test_is_tangos_with_one_question_per_document(self) -> None:
        flips = [-1] * 5 + [1] * 2 + [0] * 93
        interval = stats.paired_interval(flips, [str(index) for index in range(100)])
        assert interval == pytest.approx(stats.tango(5, 2, 100))

    def test_counts_documents_if_questions_flip_together(self) -> None:
        interval = stats.paired_interval(*clustered(20, 8, 100, 4, whole=True))
        assert interval == pytest.approx(stats.tango(5, 2, 100), abs=1e-3)

    def test_counts_documents_if_nothing_flips(self) -> None:
        assert stats.paired_interval(*clustered(0, 0, 50, 4, whole=False)) == stats.tango(0, 0, 50)

    def test_lower_limit_allows_for_an_unseen_document(self) -> None:
        low, high = stats.paired_interval(*clustered(9, 1, 50, 4, whole=False))
        plain_low, plain_high = stats.tango(9, 1, 200)
        assert low < plain_low - 0.01
        assert high == pytest.approx(plain_high, abs=1e-3)

    @given(cells(), st.floats(1, 10))
    def test_properties(self, cell: tuple[list[int], list[str]], scale: float) -> None:
        low, high = stats.paired_interval(*cell)
        assert low <= sum(cell[0]) / len(cell[0]) <= high
        assert low < high
        narrower_low, narrower_high = stats.paired_interval(*cell, scale=scale)
        assert low - 1e-9 <= narrower_low < narrower_high <= high + 1e-9

    def test_rejects_scores(self) -> None:
        with pytest.raises(ValueError, match="bootstrap_mean_difference"):
            stats.paired_interval([0.5, -1], ["a", "b"])


class TestPairedTest:
    @given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=40))
    def test_is_mcnemars_with_one_question_per_document(self, flips: list[int]) -> None:
        p = stats.paired_test(flips, [str(index) for index in range(len(flips))])
        assert p == stats.mcnemar_exact(flips.count(-1), flips.count(1))

    @settings(max_examples=50)
    @given(cells())
    def test_agrees_with_enumeration(self, cell: tuple[list[int], list[str]]) -> None:
        flips, ids = cell
        sums = [sum(flip for flip, other in zip(flips, ids, strict=True) if other == own) for own in sorted(set(ids))]
        totals = [sum(sign * value for sign, value in zip(signs, sums, strict=True)) for signs in _signs(len(sums))]
        below = sum(total <= sum(sums) for total in totals)
        above = sum(total >= sum(sums) for total in totals)
        assume(max(map(ids.count, ids)) > 1)
        assert stats.paired_test(flips, ids) == pytest.approx(min(1.0, 2 * min(below, above) / len(totals)))

    def test_many_questions_on_few_documents_prove_little(self) -> None:
        whole, spread = (clustered(20, 0, 20, 20, whole=whole) for whole in (True, False))
        assert stats.paired_test(*whole) == 1.0
        assert stats.paired_test(*spread) < 0.001

    def test_is_reproducible_for_scores(self) -> None:
        scores = np.random.default_rng(3).normal(-0.02, 0.05, 40).tolist()
        ids = [str(index // 2) for index in range(40)]
        assert stats.paired_test(scores, ids, seed=7) == stats.paired_test(scores, ids, seed=7)
        assert 0 < stats.paired_test(scores, ids) <= 1

    def test_is_one_without_differences(self) -> None:
        assert stats.paired_test([0, 0, 0, 0], ["a", "a", "b", "b"]) == 1.0


def _signs(n: int) -> list[tuple[int, ...]]:
    return list(product((-1, 1), repeat=n))


IDS = [str(index) for index in range(50)]
"""Of 50 documents with one question each."""


class TestBootstrapMeanDifference:
    def test_agrees_with_a_t_interval(self) -> None:
        scores = np.random.default_rng(0).normal(-0.04, 0.05, 50)
        mean, low, high = stats.bootstrap_mean_difference(scores.tolist(), IDS)
        half = 2.01 * scores.std(ddof=1) / math.sqrt(50)
        assert mean == pytest.approx(scores.mean())
        assert (low, high) == pytest.approx((mean - half, mean + half), abs=0.2 * half)

    def test_questions_on_one_document_count_once(self) -> None:
        scores = np.random.default_rng(0).normal(-0.04, 0.05, 20)
        single = stats.bootstrap_mean_difference(scores.tolist(), IDS[:20])
        assert stats.bootstrap_mean_difference(np.repeat(scores, 5).tolist(), np.repeat(IDS[:20], 5).tolist()) == (
            pytest.approx(single)
        )

    @pytest.mark.parametrize("documents", [1, 8, 50])
    def test_equal_documents_give_an_interval_of_positive_width(self, documents: int) -> None:
        mean, low, high = stats.bootstrap_mean_difference([0.0] * documents, IDS[:documents])
        assert mean == 0.0
        assert (low, high) == pytest.approx(stats.tango(0, 0, documents), abs=1e-6)
        mean, low, high = stats.bootstrap_mean_difference([-0.25] * documents, IDS[:documents])
        assert -1 <= low < mean < high <= 1

    @pytest.mark.parametrize("lost", [0, 1, 5])
    def test_worst_case_limit_is_exact_for_whole_losses(self, lost: int) -> None:
        """Clopper and Pearson 1934: the upper limit for the share of lost documents."""
        from scipy.stats import beta

        scores = [-1.0] * lost + [0.0] * (50 - lost)
        _, low, _ = stats.bootstrap_mean_difference(scores, IDS, worst=-1.0)
        assert -low == pytest.approx(beta.ppf(0.975, lost + 1, 50 - lost), rel=0.03)

    def test_worst_case_limit_matters_less_with_more_documents(self) -> None:
        scores = np.random.default_rng(1).normal(0.0, 0.02, 400).tolist()
        ids = [str(index) for index in range(400)]
        few = stats.bootstrap_mean_difference(scores[:50], ids[:50], worst=-1.0)[1]
        many = stats.bootstrap_mean_difference(scores, ids, worst=-1.0)[1]
        assert few < -0.06
        assert -0.02 < many < stats.bootstrap_mean_difference(scores, ids)[1]

    @settings(max_examples=100)
    @given(
        st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 5)), min_size=1, max_size=30),
        st.sampled_from([None, -1.0]),
        st.integers(0, 2**32),
    )
    def test_properties(self, samples: list[tuple[float, int]], worst: float | None, seed: int) -> None:
        scores, ids = [score for score, _ in samples], [str(document) for _, document in samples]
        interval = partial(stats.bootstrap_mean_difference, scores, ids, seed, worst=worst, resamples=199)
        mean, low, high = interval()
        assert mean == pytest.approx(sum(scores) / len(scores), abs=1e-12)
        assert math.isfinite(low)
        assert math.isfinite(high)
        assert -1 - 1e-9 <= low <= high <= 1 + 1e-9
        assert interval() == (mean, low, high)


class TestClassify:
    @pytest.mark.parametrize(
        ("p", "difference", "interval", "documents", "verdict"),
        [
            (0.01, -0.04, (-0.08, -0.01), 50, "degraded"),
            (0.05, -0.01, (-0.015, -0.005), 50, "degraded"),  # a loss within the margin is a loss
            (0.01, 0.04, (0.01, 0.08), 50, "pass"),  # a significant gain is not
            (0.60, 0.00, (-0.019, 0.019), 50, "pass"),
            (0.60, 0.00, (-0.020, 0.019), 50, "inconclusive"),
            (0.06, -0.04, (-0.08, 0.01), 50, "inconclusive"),
            (0.01, -0.40, (-0.80, -0.10), 7, "inconclusive"),
            (1.00, 0.00, (-0.001, 0.001), 7, "inconclusive"),
        ],
    )
    def test_verdicts_follow_the_design(
        self, p: float, difference: float, interval: tuple[float, float], documents: int, verdict: str
    ) -> None:
        assert stats.classify(p, difference, interval, margin=0.02, documents=documents) == verdict

    def test_losses_in_the_fewest_documents_survive_holm_over_six_cells(self) -> None:
        assert stats.holm([stats.mcnemar_exact(stats.MIN_DOCUMENTS, 0)] + [1.0] * 5)[0] <= 0.05
        assert stats.holm([stats.mcnemar_exact(stats.MIN_DOCUMENTS - 1, 0)] + [1.0] * 5)[0] > 0.05


class TestDocumentsToDecide:
    @pytest.mark.parametrize(("margin", "documents"), [(0.02, 189), (0.05, 73), (0.1, 35), (0.9, 8)])
    def test_fewest_that_can_pass(self, margin: float, documents: int) -> None:
        assert stats.documents_to_pass(margin) == documents
        assert stats.tango(0, 0, documents)[0] > -margin

    def test_no_number_of_documents_can_pass_without_a_margin(self) -> None:
        with pytest.raises(ValueError, match="no number of documents"):
            stats.documents_to_pass(0.0)

    def test_without_flips_it_is_the_fewest_that_can_pass(self) -> None:
        cell = partial(stats.paired_interval, *clustered(0, 0, 50, 4, whole=False))
        assert stats.documents_to_decide(cell, 50, 0.02) == 189

    @pytest.mark.parametrize(("lost", "gained"), [(0, 0), (1, 0), (3, 3), (6, 1), (8, 2)])
    def test_one_fewer_would_not_decide(self, lost: int, gained: int) -> None:
        cell = partial(stats.paired_interval, *clustered(lost, gained, 50, 4, whole=False))
        documents = stats.documents_to_decide(cell, 50, 0.02, cells=6)
        assert documents is not None
        assert documents > 50

        def decided(total: int) -> bool:
            loses = cell(confidence=1 - 0.05 / 6, scale=total / 50)[1] < 0
            return loses or cell(confidence=0.95, scale=total / 50)[0] > -0.02

        assert decided(documents)
        assert not decided(documents - 1)

    def test_no_difference_cannot_be_decided_without_a_margin(self) -> None:
        cell = partial(stats.paired_interval, *clustered(3, 3, 50, 4, whole=False))
        assert stats.documents_to_decide(cell, 50, 0.0) is None

    def test_for_scores(self) -> None:
        scores = np.random.default_rng(0).normal(0.0, 0.01, 50).tolist()

        def interval(*, confidence: float, scale: float) -> tuple[float, float]:
            return stats.bootstrap_mean_difference(scores, IDS, 0, confidence, worst=-1.0, scale=scale, resamples=999)[
                1:
            ]

        documents = stats.documents_to_decide(interval, 50, 0.02)
        assert documents is not None
        assert 150 < documents < 250


def test_all_is_sorted() -> None:
    assert stats.__all__ == sorted(stats.__all__)
