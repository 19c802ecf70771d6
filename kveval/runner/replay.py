"""One stored request as a shell script; its prompt is rebuilt from the run's seed."""

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
    """Return a shell script that sends a sample's request, as it was sent to `arm`, to a server at $BASE_URL.

    The run directory stores only hashes of prompts, so the prompt is rebuilt with the model's tokenizer and the run's tasks.
    Raises RunDirectoryError if the rebuilt prompt differs, and UsageError if the run does not have `arm`.
    """
    manifest = directory.read_manifest()
    arms = [one.name for one in manifest.arms]
    if arm not in arms:
        raise UsageError(f"{directory.path} has no arm {arm!r}: set --arm to one of {', '.join(arms)}.")
    body = completion_body(SERVED_NAME, _prompt(directory, manifest, sample), sample.max_answer_tokens, sample.stop)
    engines = directory.read_engines(arm)
    arguments = engines[-1].arguments if engines else ()
    return (
        f"# {sample.id} as sent to arm {arm}. Its server was started with:\n"
        f"#   vllm serve {' '.join(arguments).removeprefix('--model ')}\n"
        'curl -s "${BASE_URL:-http://127.0.0.1:8000}/v1/completions" -H "Content-Type: application/json" \\\n'
        "  -H \"Authorization: Bearer ${VLLM_API_KEY:-none}\" --data-binary @- <<'JSON'\n"
        f"{json.dumps(body)}\nJSON"
    )


def _prompt(directory: RunDirectory, manifest: Manifest, sample: SampleRecord) -> TokenIds:
    if manifest.asked is None:
        raise RunDirectoryError(f"{directory.manifest} does not record the run's model and task files.")
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
    rebuilt = samples_of(config, load_tasks(config.tasks), load_checkpoint(config).tokenizer)
    found: dict[str, Sample] = {each.id: each for built in rebuilt for each in built}
    if sample.id not in found or found[sample.id].prompt_hash != sample.prompt_hash:
        raise RunDirectoryError(
            f"The prompt of {sample.id} cannot be rebuilt: the run used kveval {manifest.kveval} and tasks {extent.tasks}, "
            "and this version or the model's tokenizer produces a different prompt."
        )
    return found[sample.id].prompt_token_ids
