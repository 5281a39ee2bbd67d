#!/usr/bin/env python3
"""A client that knows nothing but what the server says goes from `initialize` to kernels that pass. usage: cold_client_test.py AKGEN ROOT

It follows the numbered steps of the first prompt: which tools to call, in which order. Arguments are filled in by the tools' schemas out of
earlier results. What a person or a model would think up, a kernel, is put together from the skeleton, the example of the API cards and the
function that the task's reference calls; tasks that call none on one tensor are passed over.
"""
import json
import os
import re
import subprocess
import sys
import unittest

AKGEN = os.path.abspath(sys.argv[1])
WANTED = 3  # tasks


class Server:
    """`akgen mcp`, in a folder that holds nothing, asked in the messages of the protocol."""

    def __init__(self):
        self.process = subprocess.Popen([AKGEN, "mcp", "-j", "1"], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        self.capabilities = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "cold", "version": "0"}})["capabilities"]
        self.tools = {t["name"]: t for t in self.ask("tools/list")["tools"]}

    def ask(self, method, params=None):
        self.number += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if "error" in reply:
            raise LookupError(reply["error"]["message"])
        return reply["result"]

    def call(self, tool, **arguments):
        """The result; nothing where the tool has none for these arguments."""
        allowed = self.tools[tool]["inputSchema"]
        assert set(arguments) <= set(allowed["properties"]) and set(allowed.get("required", [])) <= set(arguments), (tool, arguments)
        return self.ask("tools/call", {"name": tool, "arguments": arguments}).get("structuredContent")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


def steps_of(prompt, tools):
    """[tools that a numbered step names], in order."""
    return [[name for name in re.findall(r"`(\w+)`", step) if name in tools] for step in re.findall(r"^\d+\. (.*(?:\n(?!\d+\.|\n).*)*)", prompt, re.MULTILINE)]


def called_function(task):
    """What a reference calls on the one tensor that it takes, such as `sqrt`."""
    found = re.search(r"def \w+\((\w+): Tensor\) -> Tensor:\s+return torch\.(\w+)\(\1\)\s*$", task["reference"])
    return found.group(2) if found else None


def kernel_of(skeleton, example, function):
    """The example's kernel under the skeleton's names, with another function in Compute."""
    entry, parameters = re.search(r"__aicore__ void (\w+)\(([^)]*)\)", skeleton).groups()
    source, target = (re.findall(r"GM_ADDR (\w+)", text)[:2] for text in (re.search(r"__aicore__ void example\(([^)]*)\)", example).group(1), parameters))
    head, body = example.split('extern "C"')
    body = re.sub(r"void example\([^)]*\)", f"void {entry}({parameters})", body)
    for old, new in zip(source, target):
        body = re.sub(rf"\b{old}\b", new, body)
        body = re.sub(rf"\b{old}_(rank|shape)\b", rf"{new}_\1", body)
        body = body.replace(f"DTYPE_{old.upper()}>", f"DTYPE_{new.upper()}>")
    return re.sub(r"\bExp\(", function + "(", head) + 'extern "C"' + body


class ColdClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def start(self, **arguments):
        """The steps of the prompt that says where to begin."""
        prompt = self.server.ask("prompts/list")["prompts"][0]
        self.assertLessEqual(set(arguments), {a["name"] for a in prompt["arguments"]})
        text = self.server.ask("prompts/get", {"name": prompt["name"], "arguments": arguments})["messages"][0]["content"]["text"]
        return text, steps_of(text, self.server.tools)

    def tasks(self, first, show):
        for task in sorted(self.server.call(first)["tasks"], key=lambda t: t["level"]):
            shown = self.server.call(show, task=task["name"])
            if called_function(shown):
                yield shown

    def test_from_initialize_to_kernels_that_pass(self):
        self.assertLessEqual({"tools", "resources", "prompts"}, set(self.server.capabilities))
        _, steps = self.start()
        (first,), (show,), (skeleton, *_), (cards, *_), (judge, *_) = steps
        passed = []
        for task in self.tasks(first, show):
            project = self.server.call(skeleton, task=task["name"])
            self.assertNotEqual(self.server.call(judge, task=task["name"], files=project["files"], cases=["0"])["verdict"], "build_error", "a skeleton builds")
            example = self.server.call(cards, task=task["name"])["examples"][0]["text"]
            functions = (self.server.call(cards, name=called_function(task)) or {"functions": []})["functions"]
            function = next((f["function"] for f in functions if "float" in f["dtypes"]), None)
            if not function:
                continue  # Ascend C has no function of this name, which a client that thinks would put together
            files = {**project["files"], project["kernel_file"]: kernel_of(project["files"][project["kernel_file"]], example, function)}
            verdicts = [self.server.call(judge, task=task["name"], files=files, **more)["verdict"] for more in ({"cases": ["0"]}, {})]
            if verdicts == ["pass", "wrong_answer"]:
                continue  # the instruction is not exact enough for some dtype, which takes thought as well
            self.assertEqual(verdicts, ["pass", "pass"], task["name"])
            passed.append(task["name"])
            if len(passed) == WANTED:
                break
        self.assertEqual(len(passed), WANTED, passed)

    def test_a_program_of_the_kernel_language(self):
        text, steps = self.start(form="program")
        (first,), (show,), _, (validate,), (judge, *_) = steps
        address = re.search(r"akgen://\w+", text).group(0)
        self.assertIn(address, [r["uri"] for r in self.server.ask("resources/list")["resources"]])
        page = self.server.ask("resources/read", {"uri": address})["contents"][0]["text"]
        program = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
        functions = re.search(r"^\| functions of f32 \| `([^`]*)`", page, re.MULTILINE).group(1).split()
        task = next(t for t in self.tasks(first, show) if called_function(t) in functions)
        program = re.sub(r"x_ub \* factor", f"{called_function(task)}(x_ub)", program)
        program = re.sub(r"(, factor(: float = 2\.0)?)\b|# try:.*\n", "", re.sub(r"def scale\(", "def op(", program))
        self.assertNotIn("factor", program)
        self.assertEqual(self.server.call(validate, program=program), {"ok": True, "diagnostics": []})
        self.assertEqual(self.server.call(judge, task=task["name"], text=program, form="program")["verdict"], "pass")

    def test_every_resource_can_be_read(self):
        listed = self.server.ask("resources/list")["resources"]
        self.assertEqual(len({r["uri"] for r in listed}), len(listed))
        self.assertLessEqual({"akgen://guide", "akgen://language", "akgen://functions"}, {r["uri"] for r in listed})
        self.assertEqual({r["name"] for r in listed if r["uri"].startswith("akgen://tasks/")}, {t["name"] for t in self.server.call("list_tasks")["tasks"]})
        templates = [t["uriTemplate"] for t in self.server.ask("resources/templates/list")["resourceTemplates"]]
        filled = [re.sub(r"\{task\}", "Sqrt", re.sub(r"\{code\}", "AK1201", t)) for t in templates]
        for uri in [r["uri"] for r in listed] + filled:
            content, = self.server.ask("resources/read", {"uri": uri})["contents"]
            self.assertEqual(content["uri"], uri)
            self.assertGreater(len(content["text"]), 200, uri)
        for uri in ("akgen://tasks/Nope", "akgen://tasks/../../README", "akgen://findings/AK9999", "akgen://findings/../x", "akgen://examples/../../x", "akgen://", "file:///etc/passwd"):
            with self.assertRaises(LookupError):
                self.server.ask("resources/read", {"uri": uri})
        for name, arguments in (("begin", {}), ("start", {"task": "Nope"}), ("start", {"form": "python"}), ("start", {"colour": "red"}), ("start", {"task": 1})):
            with self.assertRaises(LookupError):
                self.server.ask("prompts/get", {"name": name, "arguments": arguments})
        self.assertIn("The task is Sqrt", self.start(task="sqrt")[0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
