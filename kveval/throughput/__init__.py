"""A throughput pass: what a quantized cache gains in latency, throughput and capacity, measured on identical requests.

bench.py              the periods of a pass, in an order in which a drift cancels
bench_config.py       what a pass is asked to do
bench_preparation.py  everything that is checked and built before the first engine starts
scenarios.py          what is sent (tokens in and out) and how (single stream, closed loop, open loop)
workload.py           every request of every round, made once: lengths, due times, hashes
period.py             one arm on one fresh server: warm-up, steadiness, rounds
round_loop.py         the requests of one round, sent as its load says
load_client.py        one request over a stream, and when each of its tokens arrived
metrics_poll.py       the engine's and the GPU's metrics while a round runs
stored_bench.py       a stored pass, read back
measures.py           TTFT, TPOT, ITL and end-to-end latency as vLLM defines them; percentiles that n supports
cell_figures.py       what each arm did in each cell
guards.py             when a figure would be the client's, a proxy's or the prefix cache's
queueing.py           whether the rounds of an open loop lasted until its queue was steady
server_variance.py    variance between the servers of one arm
ratios.py             paired log-ratios with intervals, and the noise floor between two equal arms
speed_verdicts.py     verdicts on TTFT, TPOT and throughput
roofline.py           the decode limit of the memory's bandwidth; slope and break-even context
decoding.py           both of a stored pass
capacity.py           how many sequences fit, and what limits them
advice.py             what follows, in a sentence each
bench_results.py      everything of a pass: `throughput.json`
"""
