"""One stored sample sent again by hand: its prompt, made anew from the run's seed, as a shell script."""

import json

from kveval.config import RunConfig
from kveval.engine.client import completion_body
from kveval.engine.server import SERVED_NAME
from kveval.errors import RunDirectoryError, UsageError
from kveval.models.checkpoint import load_checkpoint
from kveval.prompts.samples import Sample
from kveval.prompts.template import TokenIds
from kveval.runner.preparation import samples_of
from kveval.store.run_directory import Record, RunDirectory
from kveval.store.schema import arms_in, read_engines, read_manifest
from kveval.tasks import load_tasks


def replay_script(directory: RunDirectory, sample: Record, arm: str) -> str:
    """A shell script that sends a sample's request, as `arm` got it, to a server at $BASE_URL.

    The run directory has no prompts, only their hashes: the prompt is made again, with the model's tokenizer and the tasks of
    the run. Raises RunDirectoryError where that does not give the same prompt.
    """
    manifest = read_manifest(directory)
    arms = [one.name for one in arms_in(manifest)]
    if arm not in arms:
        raise UsageError(f"{directory.path} has no arm {arm!r}: give --arm one of {', '.join(arms)}.")
    prompt = _prompt(directory, manifest, sample)
    body = completion_body(SERVED_NAME, prompt, sample["max_answer_tokens"], sample.get("stop", ()))
    engines = read_engines(directory, arm)
    served = engines[-1].get("arguments", []) if engines else []
    return (
        f"# {sample['id']} as the arm {arm} got it. Its server was started with:\n"
        f"#   vllm serve {' '.join(served).removeprefix('--model ')}\n"
        'curl -s "${BASE_URL:-http://127.0.0.1:8000}/v1/completions" -H "Content-Type: application/json" \\\n'
        "  -H \"Authorization: Bearer ${VLLM_API_KEY:-none}\" --data-binary @- <<'JSON'\n"
        f"{json.dumps(body)}\nJSON"
    )


def _prompt(directory: RunDirectory, manifest: Record, sample: Record) -> TokenIds:
    identity = manifest["identity"]
    if "asked" not in manifest:
        raise RunDirectoryError(f"{directory.manifest} does not say which model and task files were asked for.")
    length = sample["length"] if sample.get("with_document", True) else min(identity["lengths"])
    config = RunConfig(
        **manifest["asked"],
        **{name: identity[name] for name in ("kv_dtypes", "control", "samples", "seed", "concurrency", "engine_args")},
        lengths=(length,),
    )
    made = samples_of(config, load_tasks(config.tasks), load_checkpoint(config).tokenizer)
    found: dict[str, Sample] = {each.id: each for built in made for each in built}
    if sample["id"] not in found or found[sample["id"]].prompt_hash != sample["prompt_hash"]:
        raise RunDirectoryError(
            f"The prompt of {sample['id']} cannot be made again: the run has kveval {identity['kveval']} and tasks "
            f"{identity['task_versions']}, and this version or the model's tokenizer makes another one."
        )
    return found[sample["id"]].prompt_token_ids
