"""Whole throughput passes without an engine: everything is real but the replies, which functions give."""

from kveval.arms import Arm
from kveval.engine.inspection import Installed
from kveval.engine.session import EngineLog
from kveval.store.bench_directory import BenchDirectory
from kveval.store.bench_records import EngineWatch, SentRound, WarmUp
from kveval.store.json_files import Appender
from kveval.throughput import bench as benching
from kveval.throughput.bench_config import BenchConfig
from kveval.throughput.period import in_order
from tests.stored_runs import engine_facts
from tests.throughput.made import made_reply

DTYPES = {"auto": "bfloat16", "fp8": "fp8_e4m3"}
POOLS = {"auto": 100_000, "fp8": 200_000, "fp8-held": 100_000}


class NoProgress:
    def __getattr__(self, _):
        return lambda *_, **__: None


class KnownVllm:
    def __init__(self, lines):
        self.lines = lines

    def result(self):
        return Installed("0.32.0", "cuda", 8192)

    def cancel(self): ...


def reply_of(request, at, *, ttft, tpot, error=None, late=0.0):
    """A reply whose tokens come evenly."""
    sent = at + late
    chunks = tuple(sent + ttft + token * tpot for token in range(request.output_tokens))
    return made_reply(request.id, at, sent, chunks, chunks[-1], request.prompt_tokens, request.output_tokens, error)


def store_pass(monkeypatch, out, model, times, *, engine=None, facts=None, skip=(), **options):
    """Store a pass. `times(arm, period, cell, round, index)` gives a reply's ttft and tpot, and more for `reply_of`."""

    async def serve(_prepared, period, cells, directory, _progress, _gpus):
        if period.name in skip:
            EngineLog(directory, Arm(period.name, period.arm.kv_dtype)).update("failed", reason="out of memory")
            return
        pool = POOLS[period.arm.name]
        reported = engine_facts(DTYPES[period.arm.kv_dtype], pool=pool, blocks=pool // 16)
        reported = reported.model_copy(update={"weight_bytes": 16_000_000_000, "model_dtype": "bfloat16"})
        reported = reported.model_copy(update=(facts or {}).get(period.arm.name, {}))
        EngineLog(directory, Arm(period.name, period.arm.kv_dtype)).update("done", facts=reported)
        rounds = Appender(directory.rounds(period.name))
        for cell, todo in cells:
            rounds.append(WarmUp(warm_up=cell.id, e2e=(1.0, 1.0), steady=True))
            for each in todo:
                at, replies = 0.0, []
                for index, request in enumerate(each.requests):
                    given = times(period.arm.name, period.number, cell, each.number, index)
                    reply = reply_of(request, at if request.due is None else request.due, **given)
                    at = reply.end
                    replies.append(reply)
                watched = {"hertz": 4.0, "client_cpu": 0.1, "gpu": {}, "prefix_hits": float(each.cached_tokens)}
                watched |= {"prefix_queries": float(sum(request.prompt_tokens for request in each.requests))}
                watched |= (engine or (lambda *_: {}))(period.arm.name, cell)
                rounds.append(
                    SentRound(
                        round=each.id,
                        duration=max(reply.end for reply in replies),
                        replies=tuple(replies),
                        engine=EngineWatch.model_validate(watched),
                    )
                )
        rounds.close()

    monkeypatch.setattr("kveval.throughput.bench_preparation.Inspection", KnownVllm)
    monkeypatch.setattr(benching, "_serve", serve)
    given = {"scenarios": ("256:8", "4096:8"), "loads": ("single", "rate=4"), "requests": 8, "seconds": 5.0} | options
    config = BenchConfig(model=str(model), **given)
    benching.bench(config, out, NoProgress())
    return BenchDirectory(out), [period.name for period in in_order(config.arms)]
