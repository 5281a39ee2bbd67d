"""The MCP SDK of the 1.x line: `initialize`, then tools, over HTTP and over stdio."""
import asyncio
import os

import akgen
from common import ROOT, RIGHT, UNSUPPORTED, URL, same
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl


async def talk(read, write):
    async with ClientSession(read, write) as session:
        await session.initialize()
        tools = {t.name for t in (await session.list_tools()).tools}
        same({"list_tasks", "show_task", "judge", "explain_finding"} - tools, set(), "tools")
        files = lambda name: akgen.files_of(ROOT / "examples/kernels" / name)
        got = await session.call_tool("judge", {"task": "Sqrt", "text": RIGHT, "cases": ["0"]})
        same((got.isError, got.structuredContent["verdict"]), (False, "pass"), "a right one")
        got = await session.call_tool("judge", {"task": "Sqrt", "files": files("wrong_misaligned_offset"), "cases": ["0"]})
        same((got.isError, got.structuredContent["verdict"]), (False, "finding"), "a rejected kernel is a normal result")
        got = await session.call_tool("judge", {"task": "UnalignAdd", "text": UNSUPPORTED, "cases": ["0"]})
        same(got.isError, True, "an unsupported kernel")
        same("akgen://language" in {str(r.uri) for r in (await session.list_resources()).resources}, True, "resources")
        same("# Operator Sqrt" in (await session.read_resource(AnyUrl("akgen://tasks/Sqrt"))).contents[0].text, True, "a resource")
        prompt = (await session.list_prompts()).prompts[0].name
        same("`skeleton`" in (await session.get_prompt(prompt, {"task": "Sqrt"})).messages[0].content.text, True, "a prompt")


async def main():
    async with streamablehttp_client(URL + "/mcp") as (read, write, _):
        await talk(read, write)
    async with stdio_client(StdioServerParameters(command=os.environ["AKGEN"], args=["mcp", "-j", "2", "--seed", "7"], env=dict(os.environ))) as (read, write):
        await talk(read, write)


asyncio.run(main())
