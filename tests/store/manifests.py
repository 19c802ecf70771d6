"""A manifest made by hand."""

from kveval.arms import arms_of
from kveval.engine.client import GREEDY_SAMPLING
from kveval.store.manifest import Extent, Host, Identity, Manifest, ModelIdentity, Template


def manifest(*, seed=0, created="now"):
    return Manifest(
        schema_version=Manifest.SCHEMA,
        identity=Identity(
            model=ModelIdentity(name="tiny", hash="0", revision=None),
            template=Template(arguments={}, date="2026-01-01"),
            sampling=GREEDY_SAMPLING,
            engine_args=(),
            seed=seed,
            vllm="0.32.0",
            device="cpu",
        ),
        extent=Extent(tasks={"evidence": 2}, lengths=(8192,), samples=8, concurrency=8),
        arms=arms_of(["auto", "fp8"], control=True),
        kveval="0.1.0",
        created=created,
        host=Host(machine="x86_64", system="Linux", cpus=2, gpus=()),
    )
