"""Compare kveval's load client with vLLM's `bench serve`: one closed-loop workload, alternately on one server.

    python benchmarks/beside_bench_serve.py             the probe on a CPU engine, about five minutes on two cores
    python benchmarks/beside_bench_serve.py --model DIR --input 8192 --output 256 --concurrency 8 --requests 64

Both send prompts as token ids, each once, with the same lengths and from the same source. Decoding is greedy and ignores end
tokens. vLLM's benchmark is called as its command does (`add_cli_args`, `main_async`). Only its prompts are replaced, since
its random texts change their lengths when the server encodes them. The table shows the median of the alternations.
"""

import argparse
import asyncio
import contextlib
import io
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

from vllm.benchmarks import serve
from vllm.benchmarks.datasets import SampleRequest
from vllm.utils.argparse_utils import FlexibleArgumentParser

from kveval.arms import Arm
from kveval.engine.client import Client
from kveval.engine.server import Server, command_line
from kveval.models import probe
from kveval.throughput.load_client import LoadClient, Reply, body
from kveval.throughput.measures import flow, summaries
from kveval.throughput.round_loop import drive
from kveval.throughput.scenarios import Load, Scenario
from kveval.throughput.workload import Prompts, Request, Round, make_round

MEASURES = ("output tokens/s", "total tokens/s", "median TTFT (ms)", "median TPOT (ms)", "median ITL (ms)")
Figures = dict[str, float]


async def measure_with_kveval(client: Client, each: Round, concurrency: int, prompts: Prompts) -> Figures:
    bodies = {request.id: body(client.model, request, prompts.ids(request)) for request in each.requests}
    async with LoadClient(client.base_url, client.headers) as load:

        async def send(request: Request, due: float, start: float) -> Reply:
            return await load.send(request, bodies[request.id], due, start)

        replies, duration = await drive(each.requests, concurrency, send)
    carried, latencies = flow(replies, duration, open_loop=False), summaries(replies)
    if carried.errors:
        raise SystemExit(f"requests failed: {carried.errors}")
    medians = [1000 * latencies[name]["p50"] for name in ("ttft", "tpot", "itl")]
    return dict(zip(MEASURES, (carried.output_tokens_per_s, carried.total_tokens_per_s, *medians), strict=True))


async def measure_with_vllm(client: Client, each: Round, concurrency: int, prompts: Prompts, tokenizer: str) -> Figures:
    parser = FlexibleArgumentParser()
    serve.add_cli_args(parser)
    args = parser.parse_args(
        [
            *("--backend", "openai", "--base-url", client.base_url, "--model", client.model, "--tokenizer", tokenizer),
            *("--num-prompts", str(len(each.requests)), "--max-concurrency", str(concurrency)),
            *("--ignore-eos", "--temperature", "0", "--disable-tqdm", "--ready-check-timeout-sec", "0"),
        ]
    )
    serve.get_samples = lambda *_: [
        SampleRequest(list(prompts.ids(request)), request.prompt_tokens, request.output_tokens)
        for request in each.requests
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        found: dict[str, Any] = await serve.main_async(args)
    if found["completed"] != len(each.requests) or found["total_output_tokens"] != sum(
        request.output_tokens for request in each.requests
    ):
        raise SystemExit(
            "vLLM's benchmark received fewer completions or tokens than it requested; see its server's log."
        )
    names = ("output_throughput", "total_token_throughput", "median_ttft_ms", "median_tpot_ms", "median_itl_ms")
    return dict(zip(MEASURES, (float(found[name]) for name in names), strict=True))


async def alternate(options: argparse.Namespace, server: Server) -> None:
    client = await server.start()
    os.environ["OPENAI_API_KEY"] = client.headers["Authorization"].removeprefix("Bearer ")
    prompts = Prompts(range(100, 4000))
    scenario = Scenario(name="cell", prompt_tokens=options.input, output_tokens=options.output)
    load = Load("concurrency", options.concurrency)

    def round_of(number: int) -> Round:
        return make_round(scenario, load, number, options.requests, arrivals="constant", seed=0)

    await measure_with_kveval(client, round_of(-1), options.concurrency, prompts)  # warm-up
    ours: list[Figures] = []
    theirs: list[Figures] = []
    for number in range(options.alternations):

        async def run_kveval(at: int) -> None:
            ours.append(await measure_with_kveval(client, round_of(at), options.concurrency, prompts))

        async def run_vllm(at: int) -> None:
            theirs.append(await measure_with_vllm(client, round_of(at), options.concurrency, prompts, options.model))

        for turn, measure in enumerate((run_kveval, run_vllm) if number % 2 == 0 else (run_vllm, run_kveval)):
            await measure(2 * number + turn)
    print(
        f"{options.requests} requests, {options.input} tokens in, {options.output} out, {options.concurrency} in flight;"
    )
    print(f"median of {options.alternations} alternations\n")
    print("| measure | kveval | vllm bench serve | difference | differences of the pairs |")
    print("| --- | ---: | ---: | ---: | --- |")
    for name in MEASURES:
        a, b = (statistics.median(figures[name] for figures in side) for side in (ours, theirs))
        pairs = ", ".join(f"{x[name] / y[name] - 1:+.1%}" for x, y in zip(ours, theirs, strict=True))
        print(f"| {name} | {a:.2f} | {b:.2f} | {a / b - 1:+.1%} | {pairs} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=str(probe.FOLDER), help="folder of a checkpoint with its tokenizer")
    parser.add_argument("--device", default="cpu", help="device, as vLLM names it: cpu, cuda")
    for name, number in (("input", 512), ("output", 64), ("concurrency", 4), ("requests", 32), ("alternations", 5)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    words = command_line(options.model, Arm("auto", "auto"), options.input + options.output, (), options.device)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(words, Path(folder) / "server.log", device=options.device, offline=True)
        try:
            asyncio.run(alternate(options, server))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
