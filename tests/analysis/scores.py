"""Scores made by hand, as the fields of a ScoreRecord, and what is found in them."""

from kveval.analysis import find_degradation
from kveval.store.report_schema import ArmFacts
from kveval.store.run_records import ScoreRecord


def arm(kv_dtype, backend=None):
    """The facts of an arm whose cache stored this dtype."""
    return ArmFacts(
        kv_dtype_asked=None,
        kv_dtype_effective=kv_dtype,
        kv_pool_tokens=None,
        attention_backend=backend,
        scales=None,
        model_dtype=None,
        status="done",
    )


ARMS = {"auto": arm("bfloat16"), "control": arm("bfloat16"), "fp8": arm("fp8_e4m3")}


def score(arm_name, index, right=True, *, status="scored", questions=1, value=None, copy=False, length=8192, **more):
    record = {
        "sample_id": f"s{length}-{index}",
        "arm": arm_name,
        "task": "copy" if copy else "evidence",
        "length": length,
        "document_id": f"d{length}-{index // questions}",
        "kind": "name",
        "depth": 0.5,
        "answer_type": "copy" if copy else "number",
        "guess": 0.0 if copy else 0.1,
        "status": status,
    }
    if status == "scored":
        record |= {
            "metric": "copy_fidelity" if copy else "number_match",
            "answer_tokens": 5,
            "truncated": False,
            "value": float(right) if value is None else value,
            "right": right,
            "reason": "right" if right else "near value",
            "flags": [],
            "token_diff": 0.0 if right else 0.4,
            "first_divergence": None if right else 2,
        }
    if status == "scored" and copy:
        record |= {"passage_words": 50, "substituted": 0, "dropped": 0, "inserted": 0, "spliced": 0}
        record |= {} if right else {"substituted": 3, "dropped": 1}
    return record | more


def typed(scores):
    return [ScoreRecord.model_validate(score) for score in scores]


def find(scores, arms=ARMS, **options):
    facts = {name: arms[name] for name in dict.fromkeys(score["arm"] for score in scores)}
    return find_degradation(typed(scores), facts, **options)


def counted(faults):
    """Fault counts as plain objects."""
    return {name: fault.as_json() for name, fault in faults.items()}


def cells_of(scores, arms=ARMS, **options):
    """Cells by arm, of scores of one task and length."""
    return {cell.arm: cell for cell in find(scores, arms, **options).cells}


def pair(fp8_right, n=200, auto_right=lambda _: True, **options):
    """Baseline and fp8 over n samples, right where the functions say so."""
    return [score("auto", i, auto_right(i), **options) for i in range(n)] + [
        score("fp8", i, fp8_right(i), **options) for i in range(n)
    ]
