"""The paired load pass: what a quantized cache buys, measured on identical requests.

scenarios   what is sent (tokens in and out) and how (single stream, closed loop, open loop)
workload    every request of every round, made once: lengths, due times, hashes
client      one request over a stream, and when each of its tokens came
driving     a round: its requests sent as its load says
measures    vLLM's definitions of TTFT, TPOT, ITL and end-to-end latency; percentiles that n can carry
sampling    what the engine and the GPU say of themselves while a round runs
period      one arm on one fresh server: warm-up, steadiness, rounds
bench       the periods of a pass, in an order in which a drift cancels
stored      what a pass has stored, read again, as `forms` says that it must be
figures     what each arm did in each cell
guards      when a figure would be the client's, a proxy's or the prefix cache's
queueing    whether the rounds of an open loop lasted until its queue was steady
servers     what servers of one arm differ by
ratios      paired log-ratios with intervals, and the floor between two equal arms
judging     cells and their verdicts, TTFT, TPOT and throughput apart
roofline    the decode limit of the memory's bandwidth; slope and break-even context
decoding    these two of a stored pass
capacity    how many sequences fit, and what caps them
advice      what follows, in a sentence each
results     everything of a pass as one dict, `throughput.json`
"""
