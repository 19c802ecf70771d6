"""Servers that run already: they are asked what they are, their keys come from the environment and go nowhere else."""

import asyncio
from functools import partial

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from kveval.engine.endpoint import Endpoint, api_key, kv_dtypes_of, parse_endpoints
from kveval.errors import EngineError, UsageError


def connect(*, status=200, models=None, tokens=4096):
    """The client of an endpoint, its version, and the keys that its server was sent."""
    keys = []

    async def answer(request, body):
        keys.append(request.headers.get("Authorization"))
        return web.json_response(body, status=status)

    async def main():
        app = web.Application()
        served = {"data": [{"id": "llama", "max_model_len": 8192}]} if models is None else models
        app.router.add_get("/v1/models", partial(answer, body=served))
        app.router.add_get("/version", partial(answer, body={"version": "0.32.0"}))
        async with TestServer(app) as server:
            endpoint = Endpoint("fp8", str(server.make_url("")).rstrip("/"), tokens)
            client = await endpoint.start()
            return client, endpoint, keys

    return asyncio.run(main())


def test_an_endpoint_says_what_it_is(monkeypatch):
    monkeypatch.setenv("KVEVAL_API_KEY_FP8", "secret")
    client, endpoint, keys = connect()
    assert (client.model, endpoint.version, endpoint.log_text()) == ("llama", "0.32.0", "")
    assert set(keys) == {"Bearer secret"}
    assert "secret" not in repr(endpoint.__dict__)
    endpoint.stop()
    assert endpoint.alive()


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"status": 401}, "answers HTTP 401: set KVEVAL_API_KEY_FP8"),
        ({"status": 503}, "answers HTTP 503"),
        ({"models": {"data": []}}, "does not answer like vLLM"),
        ({"tokens": 9000}, r"9,000 tokens exceed the context window of \S+ \(8,192 tokens\)"),
    ],
)
def test_what_is_wrong_with_an_endpoint_is_said(case, message):
    with pytest.raises(EngineError, match=message):
        connect(**case)


def test_a_server_that_is_not_there_is_said():
    with pytest.raises(EngineError, match=r"http://127.0.0.1:9 does not answer"):
        asyncio.run(Endpoint("auto", "http://127.0.0.1:9", 1).start())


def test_an_arms_own_key_goes_before_the_common_one():
    both = {"KVEVAL_API_KEY_FP8_E5M2": "own", "VLLM_API_KEY": "common"}
    assert (api_key("fp8_e5m2", both), api_key("auto", both), api_key("auto", {})) == ("own", "common", "")


def test_endpoints_are_urls_by_kv_dtype():
    found = parse_endpoints(["auto=http://a:8000/v1", "fp8 = https://b/"])
    assert found == {"auto": "http://a:8000", "fp8": "https://b"}
    assert kv_dtypes_of(None, found) == ("auto", "fp8")
    assert kv_dtypes_of("auto,fp8_e5m2", {}) == ("auto", "fp8_e5m2")


@pytest.mark.parametrize(
    "pairs",
    [["fp8=http://a"], ["auto=a"], ["auto=http://a/other/path"], ["auto=http://a", "auto=http://b"], ["AUTO=http://a"]],
)
def test_what_is_no_endpoint_is_refused(pairs):
    with pytest.raises(UsageError, match="--endpoint"):
        parse_endpoints(pairs)


def test_a_password_in_a_url_is_refused_and_not_repeated():
    with pytest.raises(UsageError) as refused:
        parse_endpoints(["auto=http://me:hunter2@host"])
    assert "hunter2" not in str(refused.value)
