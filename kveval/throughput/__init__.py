"""A throughput pass: what a quantized cache gains in latency, throughput and capacity, measured on identical requests.

bench.py              the periods of a pass, in an order in which a drift cancels
bench_config.py       the options of a pass
bench_preparation.py  everything that is checked and built before the first engine starts
scenarios.py          what is sent (tokens in and out) and how (single stream, closed loop, open loop)
workload.py           every request of every round, generated once: lengths, due times, hashes
period.py             one arm on one fresh server: warm-up, rounds
round_loop.py         sends the requests of one round according to its load
load_client.py        sends one request and times its stream
metrics_poll.py       the engine's and the GPU's metrics while a round runs
stored_bench.py       a stored pass, read back
measures.py           TTFT, TPOT, ITL and end-to-end latency as vLLM defines them; percentiles that n supports
cell_figures.py       the figures of each arm in each cell
guards.py             detects figures that are due to the client, a proxy or the prefix cache
queueing.py           whether the rounds of an open loop lasted until the queue was steady
server_variance.py    variance between the servers of one arm
ratios.py             paired log-ratios with intervals, and the noise floor between two equal arms
speed_verdicts.py     verdicts on TTFT, TPOT and throughput
roofline.py           the decode limit set by memory bandwidth; slope and break-even context
decoding.py           decode limits and context lines of a stored pass
capacity.py           how many sequences fit, and what limits them
advice.py             conclusions, one sentence each
bench_results.py      all results of a pass: `throughput.json`
"""
