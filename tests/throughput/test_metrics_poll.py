"""Gauges and counters of an engine, read from its metrics."""

from kveval.engine.facts import counter
from kveval.store.bench_records import Gauge
from kveval.throughput.metrics_poll import Watch, read_samples, watching
from tests.throughput.clock import run

METRICS = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_running{engine="1",model_name="m"} 4.0
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="m"} 1.2e+02
vllm:num_preemptions_created{engine="0",model_name="m"} 1.7e+09
# TYPE vllm:request_queue_time_seconds histogram
vllm:request_queue_time_seconds_bucket{engine="0",le="0.3",model_name="m"} 7.0
vllm:request_queue_time_seconds_sum{engine="0",model_name="m"} 1.5
"""


class NoGpu:
    def __bool__(self):
        return False


def test_samples_are_read_and_summed_over_engines():
    found = read_samples(METRICS)
    assert found == {"running": 7.0, "kv_usage": 0.25, "preemptions": 120.0, "queue_seconds": 1.5}
    assert found["preemptions"] == counter(METRICS, "vllm:num_preemptions_total")


def test_gauges_become_medians_and_counters_differences():
    watch = Watch({"preemptions": 2.0}, {"preemptions": 5.0, "prefix_hits": 7.0}, seconds=2.0, cpu_seconds=0.5)
    watch.looks = [{"running": 1.0, "waiting": 0.0}, {"running": 4.0, "waiting": 9.0}, {"running": 2.0}]
    record = watch.summary()
    assert record.running == Gauge(median=2.0, max=4.0)
    assert record.waiting == Gauge(median=4.5, max=9.0)
    assert record.preemptions == 3.0
    assert "prefix_hits" not in record  # what was not known before has no difference
    assert (record.kv_usage, record.client_cpu, record.hertz) == (None, 0.25, 1.5)


def test_a_round_is_looked_at_three_times_a_second_or_more():
    async def main():
        import asyncio

        async def metrics():
            return METRICS

        async with watching(metrics, NoGpu()) as watch:
            await asyncio.sleep(10)
        return len(watch.looks)

    assert run(main()) >= 30
