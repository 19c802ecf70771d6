"""Writes a stored request as a shell script, with its prompt rebuilt from the run's seed."""

import json

from kveval.config import RunConfig
from kveval.engine.client import completion_body
from kveval.engine.server import SERVED_NAME
from kveval.errors import RunDirectoryError, UsageError
from kveval.models.checkpoint import load_checkpoint
from kveval.prompts.samples import Sample
from kveval.prompts.template import TokenIds
from kveval.runner.preparation import samples_of
from kveval.store.manifest import Manifest
from kveval.store.run_directory import RunDirectory
from kveval.store.run_records import SampleRecord
from kveval.tasks import load_tasks


def replay_script(directory: RunDirectory, sample: SampleRecord, arm: str) -> str:
    """A shell script that sends a sample's request, as `arm` got it, to a server at $BASE_URL.

    The run directory has hashes of prompts only: the prompt is made again, with the model's tokenizer and the run's tasks.
    Raises RunDirectoryError where that does not give the same prompt, and UsageError for an arm that the run does not have.
    """
    manifest = directory.read_manifest()
    arms = [one.name for one in manifest.arms]
    if arm not in arms:
        raise UsageError(f"{directory.path} has no arm {arm!r}: give --arm one of {', '.join(arms)}.")
    body = completion_body(SERVED_NAME, _prompt(directory, manifest, sample), sample.max_answer_tokens, sample.stop)
    engines = directory.read_engines(arm)
    arguments = engines[-1].arguments if engines else ()
    return (
        f"# {sample.id} as the arm {arm} got it. Its server was started with:\n"
        f"#   vllm serve {' '.join(arguments).removeprefix('--model ')}\n"
        'curl -s "${BASE_URL:-http://127.0.0.1:8000}/v1/completions" -H "Content-Type: application/json" \\\n'
        "  -H \"Authorization: Bearer ${VLLM_API_KEY:-none}\" --data-binary @- <<'JSON'\n"
        f"{json.dumps(body)}\nJSON"
    )


def _prompt(directory: RunDirectory, manifest: Manifest, sample: SampleRecord) -> TokenIds:
    if manifest.asked is None:
        raise RunDirectoryError(f"{directory.manifest} does not name the model and the task files of the run.")
    extent = manifest.extent
    config = RunConfig(
        model=manifest.asked.model,
        tasks=manifest.asked.tasks,
        lengths=(sample.length if sample.with_document else min(extent.lengths),),
        kv_dtypes=tuple(arm.kv_dtype for arm in manifest.arms if arm.role != "control"),
        control=any(arm.role == "control" for arm in manifest.arms),
        samples=extent.samples,
        seed=manifest.identity.seed,
        concurrency=extent.concurrency,
        engine_args=manifest.identity.engine_args,
    )
    made = samples_of(config, load_tasks(config.tasks), load_checkpoint(config).tokenizer)
    found: dict[str, Sample] = {each.id: each for built in made for each in built}
    if sample.id not in found or found[sample.id].prompt_hash != sample.prompt_hash:
        raise RunDirectoryError(
            f"The prompt of {sample.id} cannot be rebuilt: the run was made with kveval {manifest.kveval} and tasks "
            f"{extent.tasks}, and this version or the model's tokenizer builds a different prompt."
        )
    return found[sample.id].prompt_token_ids
