"""The official Python client drives `ken`: over pipes and over HTTP, with a handshake and without.

usage: python client.py PATH-OF-KEN
"""

import asyncio
import contextlib
import logging
import sys

import httpx2
import jsonschema
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult, Implementation

from place import project, served

# The client warns of tools that are called without being listed, which is what is tested here.
logging.disable(logging.WARNING)

KEN = sys.argv[1]
LESSON = "Retry network calls with jitter, or all clients come back at once."
EVERYDAY = ["recall", "show_entry", "brief", "remember", "correct_entry", "finish", "check", "queue"]


def valid(tools: dict, name: str, result) -> dict:
    """The structured content of an answer, which is as the list promised."""
    assert not result.is_error, result
    jsonschema.validate(result.structured_content, tools[name].output_schema)
    assert result.content[0].type == "text"
    return result.structured_content


async def fails(call, code: int) -> str:
    try:
        answer = await call
    except MCPError as error:
        assert error.error.code == code, error
        return error.error.message
    raise AssertionError(answer)


async def story(client: Client, asked: list[str]) -> None:
    assert client.server_info.name == "kenning"
    assert "`recall`" in client.instructions
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools) == EVERYDAY, list(tools)
    for tool in tools.values():
        hints = tool.annotations
        for hint in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint):
            assert hint is not None, tool

    lesson = {"statement": LESSON, "evidence": ["pr:1"], "anchors": ["src/net.rs#retry"], "verify": ["look"]}
    added = valid(tools, "remember", await client.call_tool("remember", lesson))
    assert added["outcome"] == "added", added
    found = valid(tools, "recall", await client.call_tool("recall", {"query": "retry with jitter"}))
    assert [result["id"] for result in found["results"]] == [added["id"]], found
    checked = valid(tools, "check", await client.call_tool("check", {"ids": [added["id"]]}))
    assert checked["summary"]["fresh"] == 1, checked
    valid(tools, "brief", await client.call_tool("brief", {}))
    valid(tools, "queue", await client.call_tool("queue", {}))
    finished = valid(tools, "finish", await client.call_tool("finish", {"outcome": "success", "used": [added["id"]]}))
    # What an agent stated itself today earns nothing by its own word.
    assert finished["observed"] == [] and "your own" in finished["notes"][0], finished
    fetched = (await client.call_tool("fetch", {"id": added["id"]})).structured_content
    assert fetched["title"] == LESSON and fetched["url"] == f"ken://entry/{added['id']}", fetched

    wrong = await client.call_tool("recall", {"query": "retry", "limt": 3})
    assert wrong.is_error and "did you mean `limit`?" in wrong.content[0].text, wrong
    assert wrong.structured_content["error"]["code"] == "invalid", wrong
    unproven = await client.call_tool("remember", {"statement": "Nothing at all speaks for this claim."})
    assert unproven.is_error and unproven.structured_content["error"]["hint"], unproven
    assert "did you mean `recall`?" in await fails(client.call_tool("recal", {}), -32602)

    resources = (await client.list_resources()).resources
    assert [str(resource.uri) for resource in resources] == ["ken://briefing", "ken://index", "ken://health"]
    templates = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["ken://entry/{id}", "ken://as-of/{commit}/{id}"]
    for uri in ("ken://briefing", "ken://index", "ken://health"):
        await client.read_resource(uri)
    entry = await client.read_resource(f"ken://entry/{added['id']}")
    assert LESSON in entry.contents[0].text, entry
    await fails(client.read_resource("ken://nothing"), -32602 if client.protocol_version >= "2026" else -32002)
    prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["recall-first", "review-session", "judge-queue"]
    prompt = await client.get_prompt("recall-first", {"task": "mend the retries"})
    assert "mend the retries" in prompt.messages[0].content.text, prompt

    # What is a person's to do: asked through the client, and done in the person's name.
    rejected = (await client.call_tool("list", {"status": ["rejected"]})).structured_content["items"]
    released = await client.call_tool("quarantine_release", {"id": rejected[0]["id"], "reason": "an example for our tests"})
    assert not released.is_error and asked, released
    shown = (await client.call_tool("show", {"ids": [rejected[0]["id"]]})).structured_content
    assert shown["released"]["by"] == "human:Ada", shown


async def drive(name: str, server, mode: str) -> None:
    asked: list[str] = []

    async def approve(_, params) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"approve": True})

    client = Client(
        server, mode=mode, elicitation_callback=approve, read_timeout_seconds=60,
        client_info=Implementation(name="python-client", version="1"),
    )
    async with client:
        await story(client, asked)
        print(f"ok: {name}, {mode}: {client.protocol_version}", flush=True)


async def main() -> None:
    for mode in ("auto", "legacy"):
        with project(KEN) as (repository, env, _):
            await drive("pipes", StdioServerParameters(command=KEN, args=["mcp"], env=env, cwd=repository), mode)
        with project(KEN) as (repository, env, token), served(KEN, repository, env, "--mcp") as url:
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
                await drive("HTTP with a token", streamable_http_client(url, http_client=http), mode)
            listed = None
            with contextlib.suppress(MCPError, httpx2.HTTPStatusError, ExceptionGroup):
                async with Client(url, mode=mode, read_timeout_seconds=60) as stranger:
                    listed = await stranger.list_tools()
            assert listed is None, "without the token nobody is let in"
            print(f"ok: HTTP without the token, {mode}: refused", flush=True)


asyncio.run(main())
