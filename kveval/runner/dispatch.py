"""One arm: sends its samples to one fresh engine and writes each answer to disk as it arrives."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from kveval.arms import Arm
from kveval.engine.client import Client, Completion, RequestError
from kveval.engine.endpoint import AnyServer
from kveval.engine.facts import counter
from kveval.engine.progress import Progress
from kveval.engine.session import is_dying, running
from kveval.errors import EngineError
from kveval.prompts.samples import Sample
from kveval.runner.preparation import Prepared
from kveval.store.json_files import Appender
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import OutputRecord


def work_of(samples: Iterable[Sample]) -> int:
    """Approximate number of tokens to compute for `samples`: answers, and a quarter of each prompt, since prefill is shared."""
    return sum(sample.max_answer_tokens + len(sample.prompt_token_ids) // 4 for sample in samples)


async def serve_arm(
    prepared: Prepared, arm: Arm, samples: Sequence[Sample], directory: RunDirectory, progress: Progress
) -> None:
    """Start an engine, send it `samples`, and stop it. Raises EngineError if the engine does not start, or dies."""
    config = prepared.config
    async with running(
        *(arm, config, prepared.checkpoint, prepared.vllm, directory, progress),
        tokens=max(config.lengths),
        samples=len(samples),
    ) as engine:
        await _send_all(
            _by_document(samples, f"{config.seed}/{arm.name}"),
            engine.server,
            engine.client,
            directory.outputs(arm.name),
            progress,
            config.concurrency,
        )
        metrics = await _last_metrics(engine.client)
        engine.done(
            samples=len(samples),
            prefix_cache_queries=counter(metrics, "vllm:prefix_cache_queries_total"),
            prefix_cache_hits=counter(metrics, "vllm:prefix_cache_hits_total"),
            preemptions=counter(metrics, "vllm:num_preemptions_total"),
        )


async def _send_all(
    documents: Sequence[Sequence[Sample]],
    server: AnyServer,
    client: Client,
    path: Path,
    progress: Progress,
    concurrency: int,
) -> None:
    """Send all questions, document by document, and append each answer to the file at `path` as it arrives."""
    outputs = Appender(path)
    requests_in_flight = asyncio.Semaphore(concurrency)
    # Enough documents at a time to keep `concurrency` requests in flight, and one more whose prefill runs meanwhile. More
    # documents would only evict each other from the prefix cache.
    documents_in_flight = asyncio.Semaphore(min(concurrency, -(-concurrency // max(map(len, documents))) + 1))

    async def send(sample: Sample, on_first_token: Callable[[], None]) -> None:
        completion, error = None, None
        async with requests_in_flight:
            try:
                completion = await client.complete(
                    sample.prompt_token_ids, sample.max_answer_tokens, on_first_token, stop=sample.stop
                )
            except RequestError as failure:
                # A request that fails because the engine is dying stays unanswered for a resumed run; the sample has no error.
                if await is_dying(server, client):
                    raise EngineError(f"The engine died: {server.root_cause()}") from failure
                error = str(failure)
        outputs.append(output_record(sample, completion, error))
        progress.finished(work_of([sample]), failed=error is not None)

    async def ask(document: Sequence[Sample]) -> None:
        # The first question causes the document's prefill. The others wait for its first token, then hit the prefix cache.
        prefilled = asyncio.Event()
        async with documents_in_flight, asyncio.TaskGroup() as group:
            first = group.create_task(send(document[0], prefilled.set))
            first.add_done_callback(lambda _: prefilled.set())
            await prefilled.wait()
            for sample in document[1:]:
                group.create_task(send(sample, lambda: None))

    async def watch() -> None:
        raise EngineError(f"The engine died: {await server.died()}")

    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(watch())
            await asyncio.wait([group.create_task(ask(document)) for document in documents])
            watching.cancel()
    except BaseExceptionGroup as failed:
        raise next(_leaves(failed)) from None
    finally:
        outputs.close()


async def _last_metrics(client: Client) -> str:
    """Return the metrics after the last answer; empty if the engine has died, since all answers are already on disk."""
    try:
        return await client.metrics()
    except EngineError:
        return ""


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions inside a group, at any depth."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _by_document(samples: Iterable[Sample], seed: str) -> list[list[Sample]]:
    """Group samples by document: documents in an order that depends on `seed`, questions in their given order."""
    documents: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        documents[sample.document_id].append(sample)
    order = sorted(documents)
    random.Random(seed).shuffle(order)
    return [documents[document_id] for document_id in order]


def output_record(sample: Sample, completion: Completion | None, error: str | None) -> OutputRecord:
    """Build the stored record of an answer, or of a request's error."""
    if completion is None:
        return OutputRecord(sample_id=sample.id, prompt_hash=sample.prompt_hash, error=error)
    return OutputRecord(
        sample_id=sample.id,
        prompt_hash=sample.prompt_hash,
        error=error,
        token_ids=completion.token_ids,
        text=completion.text,
        finish_reason=completion.finish_reason,
        logprobs=tuple(round(value, 6) for value in completion.logprobs),
        margins=tuple(round(value, 4) for value in completion.margins),
        first_token_s=round(completion.first_token_s, 4),
        total_s=round(completion.total_s, 4),
    )
