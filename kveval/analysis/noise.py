"""How an arm's outputs differ from the baseline's, token by token, and by how much this exceeds the control's difference.

Greedy decoding is not deterministic across batches, so two runs of the same engine differ too. The control measures this noise
floor on the same samples; an arm's excess is its difference minus the control's, pair by pair.
"""

import numpy as np
import pandas as pd
from scipy.stats import CensoredData, ecdf

from kveval.analysis.comparison import Comparison
from kveval.stats import bootstrap_mean_difference, paired_interval, paired_test
from kveval.store.report_schema import Divergence, Excess

EQUAL_TOKENS = (1, 4, 16, 64, 256, 1024)
"""Numbers of tokens for which a report shows the share of outputs that are still equal."""


def divergence(pairs: pd.DataFrame) -> Divergence:
    """How long outputs stay equal to the baseline's: Kaplan-Meier over tokens (outputs that never differ are censored)."""
    never = pairs["first_divergence"].isna()
    equal_tokens = pairs["first_divergence"].fillna(pairs["answer_tokens"]).astype(int)
    survival = ecdf(CensoredData(uncensored=equal_tokens[~never], right=equal_tokens[never])).sf
    reached = survival.quantiles[survival.probabilities <= 0.5]
    # Beyond the longest output that ended while still equal, nothing is known, unless all have diverged by then.
    known = int(equal_tokens.max()) if survival.probabilities[-1] > 0 else max(EQUAL_TOKENS)
    return Divergence(
        never=int(never.sum()),
        median=float(reached[0]) if len(reached) else None,
        still_equal={str(tokens): float(survival.evaluate(tokens - 1)) for tokens in EQUAL_TOKENS if tokens <= known},
    )


def excess(arm: Comparison, control: Comparison) -> Excess | None:
    """An arm's difference from the baseline in excess of the control's, over the samples that all three answered; None if there
    are none."""
    both = arm.pairs.merge(control.pairs, left_index=True, right_index=True, suffixes=("", "_control"))
    if both.empty:
        return None
    documents = both["document_id"].tolist()
    flips = (_flipped(both, "") - _flipped(both, "_control")).tolist()
    tokens = (both["token_diff"] - both["token_diff_control"]).astype(float).tolist()
    order = _order(both)
    token_diff, low, high = bootstrap_mean_difference(tokens, documents, arm.seed)
    against_control = Comparison(control.arm.loc[both.index], arm.arm.loc[both.index], arm.seed)
    return Excess(
        n=len(both),
        difference=against_control.difference,
        interval=against_control.interval(),
        flips=float(np.mean(flips)),
        flips_interval=paired_interval(flips, documents),
        token_diff=token_diff,
        token_diff_interval=(max(-1.0, low), min(1.0, high)),
        earlier=int((order < 0).sum()),
        later=int((order > 0).sum()),
        p=paired_test(order.tolist(), documents, arm.seed),
    )


def _flipped(both: pd.DataFrame, side: str) -> pd.Series:
    return (both[f"right{side}"] != both[f"right_baseline{side}"]).astype(float)


def _order(both: pd.DataFrame) -> pd.Series:
    """By sample: −1 if the arm diverges from the baseline's output before the control does, 1 if after it, else 0.

    An output that never diverges counts as later than any that does (Gehan 1965, for pairs).
    """
    arm = both["first_divergence"].astype(float).fillna(np.inf)
    control = both["first_divergence_control"].astype(float).fillna(np.inf)
    return (arm > control).astype(float) - (arm < control).astype(float)
