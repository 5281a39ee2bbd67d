"""The MCP SDK of the 2.x line, which speaks the revision without a handshake, over HTTP and over stdio."""
import asyncio
import os

import akgen
from common import ROOT, RIGHT, UNSUPPORTED, URL, same
from mcp import Client, StdioServerParameters


async def talk(where):
    async with Client(where) as client:
        tools = {t.name for t in (await client.list_tools()).tools}
        same({"list_tasks", "show_task", "judge", "explain_finding"} - tools, set(), "tools")
        files = lambda name: akgen.files_of(ROOT / "examples/kernels" / name)
        got = await client.call_tool("judge", {"task": "Sqrt", "text": RIGHT, "cases": ["0"]})
        same((got.is_error, got.structured_content["verdict"]), (False, "pass"), "a right one")
        got = await client.call_tool("judge", {"task": "Sqrt", "files": files("wrong_misaligned_offset"), "cases": ["0"]})
        same((got.is_error, got.structured_content["verdict"]), (False, "finding"), "a rejected kernel is a normal result")
        got = await client.call_tool("judge", {"task": "UnalignAdd", "text": UNSUPPORTED, "cases": ["0"]})
        same(got.is_error, True, "an unsupported kernel")
        same("akgen://language" in {str(r.uri) for r in (await client.list_resources()).resources}, True, "resources")
        same("# Operator Sqrt" in (await client.read_resource("akgen://tasks/Sqrt")).contents[0].text, True, "a resource")
        prompt = (await client.list_prompts()).prompts[0].name
        same("`skeleton`" in (await client.get_prompt(prompt, {"task": "Sqrt"})).messages[0].content.text, True, "a prompt")


asyncio.run(talk(URL + "/mcp"))
asyncio.run(talk(StdioServerParameters(command=os.environ["AKGEN"], args=["mcp", "-j", "2", "--seed", "7"], env=dict(os.environ))))
