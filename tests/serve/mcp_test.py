#!/usr/bin/env python3
"""The Model Context Protocol, both eras, over HTTP, lines and a WebSocket. usage: mcp_test.py AKGEN ROOT"""
import http.client
import json
import os
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]
MODERN, KEY = "2026-07-28", "io.modelcontextprotocol/"
TOOLS = ["list_tasks", "show_task", "skeleton", "explain_finding", "validate_program", "lower_program", "api_card", "judge", "run", "profile", "mutate_check"]
KERNEL = """// launch: blocks=1 args=in:f16[256],out:f16[256]
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {
  TPipe pipe; TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 512); pipe.InitBuffer(out, 1, 512);
  GlobalTensor<half> xg, yg; xg.SetGlobalBuffer((__gm__ half*)x, 256); yg.SetGlobalBuffer((__gm__ half*)y, 256);
  auto a = in.AllocTensor<half>(); DataCopy(a, xg, 256); in.EnQue(a); a = in.DeQue<half>();
  auto b = out.AllocTensor<half>(); Add(b, a, a, 256); out.EnQue(b); in.FreeTensor(a);
  b = out.DeQue<half>(); DataCopy(yg, b, COUNT); out.FreeTensor(b);
}
"""


def candidate(name, task, **more):
    return {"task": task, "files": running.project(ROOT, name), "cases": ["0"], **more}


def slow():
    return {"task": "UnalignAdd", "files": running.endless(ROOT), "seed": "fresh", "cache": False}


def fits(schema, value, defs=None):
    """As much of JSON Schema as the tools' output schemas use."""
    defs = schema.get("$defs", defs or {})
    if "$ref" in schema:
        return fits(defs[schema["$ref"].rsplit("/", 1)[1]], value, defs)
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}
    wanted = schema.get("type", list(types))
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if not any(isinstance(value, types[t]) and not (isinstance(value, bool) and t in ("integer", "number")) for t in wanted):
        return False
    if isinstance(value, dict):
        known = schema.get("properties", {})
        further = schema.get("additionalProperties", True)
        return all(r in value for r in schema.get("required", [])) and all(
            fits(known[k], v, defs) if k in known else further is not False and (further is True or fits(further, v, defs)) for k, v in value.items())
    if isinstance(value, list):
        return all(fits(schema.get("items", {}), v, defs) for v in value)
    return value in schema.get("enum", [value])


class Client:
    """One client of either era; `send` takes a message and gives what came back: notifications, then the reply."""

    def __init__(self, modern):
        self.modern, self.number, self.notes = modern, 0, []

    def message(self, method, params=None, token=None):
        self.number += 1
        params = dict(params or {})
        meta = {KEY + "protocolVersion": MODERN, KEY + "clientCapabilities": {}} if self.modern else {}
        if token is not None:
            meta["progressToken"] = token
        if meta:
            params["_meta"] = meta
        return {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}

    def ask(self, method, params=None, token=None):
        *self.notes, reply = self.send(self.message(method, params, token))
        assert reply["id"] == self.number and reply["jsonrpc"] == "2.0", reply
        return reply

    def call(self, name, arguments=None, token=None):
        return self.ask("tools/call", {"name": name, "arguments": arguments or {}}, token)["result"]


class Http(Client):
    def __init__(self, server, modern):
        super().__init__(modern)
        self.server, self.session = server, None

    def headers(self, message):
        out = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.modern:
            out.update({"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]})
            if message["method"] in ("tools/call", "prompts/get"):
                out["Mcp-Name"] = message["params"]["name"]
            if message["method"] == "resources/read":
                out["Mcp-Name"] = message["params"]["uri"]
        elif self.session:
            out.update({"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-06-18"})
        return out

    def send(self, message):
        self.status, got, headers = self.server.ask("POST", "/mcp", message, self.headers(message))
        self.session = headers.get("mcp-session-id", self.session)
        if isinstance(got, str):  # server-sent events
            return [json.loads(line[6:]) for line in got.splitlines() if line.startswith("data: ")]
        return [got]


class Lines(Client):
    def __init__(self, modern, *options):
        super().__init__(modern)
        self.process = subprocess.Popen([AKGEN, "mcp", "-j", "1", "--seed", "7", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, message):
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def send(self, message):
        self.say(message)
        out = [self.hear()]
        while "id" not in out[-1]:
            out.append(self.hear())
        return out

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=150)
        self.process.stdout.close()
        return code


class Mcp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = running.Server(AKGEN, "-j", "2", "--seed", "7")
        cls.lines = {modern: Lines(modern) for modern in (True, False)}

    @classmethod
    def tearDownClass(cls):
        for client in cls.lines.values():
            client.close()
        cls.server.__exit__()

    def clients(self):
        for modern in (True, False):
            yield f"http, modern {modern}", Http(self.server, modern)
            yield f"lines, modern {modern}", self.lines[modern]

    def test_the_tools_are_listed(self):
        lists = []
        for name, client in self.clients():
            with self.subTest(name):
                result = client.ask("tools/list")["result"]
                self.assertEqual([t["name"] for t in result["tools"]], TOOLS)
                for t in result["tools"]:
                    self.assertEqual((t["inputSchema"]["type"], t["outputSchema"]["type"]), ("object", "object"))
                self.assertEqual(result.get("resultType"), "complete" if client.modern else None)
                self.assertEqual("ttlMs" in result, client.modern)
                lists.append((name.split(",")[0], json.dumps(result["tools"])))
        self.assertEqual(len(set(lists)), 2, "eras differ in their tools")

    def test_both_eras_begin(self):
        for client in (Http(self.server, True), self.lines[True]):
            got = client.ask("server/discover")["result"]
            self.assertEqual((got["supportedVersions"], got["capabilities"]), ([MODERN], {"tools": {}, "resources": {}, "prompts": {}}))
            self.assertEqual(got["_meta"][KEY + "serverInfo"]["name"], "akgen")
        for client in (Http(self.server, False), self.lines[False]):
            for asked, given in (("2025-11-25",) * 2, ("2025-06-18",) * 2, ("2025-03-26",) * 2, ("1999-01-01", "2025-11-25")):
                got = client.ask("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}})["result"]
                self.assertEqual((got["protocolVersion"], got["serverInfo"]["name"]), (given, "akgen"))
            self.assertEqual(client.ask("ping")["result"], {})
        old = Http(self.server, False)
        old.ask("initialize", {"protocolVersion": "2025-06-18"})
        self.assertTrue(old.session)
        status, body, _ = self.server.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"Mcp-Session-Id": old.session})
        self.assertEqual((status, body), (202, ""))

    def test_every_tool_answers_by_its_schema(self):
        with open(os.path.join(ROOT, "examples/craft/softmax.py")) as f:
            program = f.read()
        calls = [("list_tasks", {"level": 1, "contains": "sqrt"}), ("show_task", {"task": "Sqrt"}), ("skeleton", {"task": "Sqrt"}), ("explain_finding", {"code": "AK1201"}),
                 ("validate_program", {"program": program}), ("validate_program", {"program": "x = 1\n"}), ("lower_program", {"program": program}),
                 ("lower_program", {"program": "x = 1\n"}), ("api_card", {"name": "ReduceSum"}), ("api_card", {"task": "Sqrt"}), ("api_card", {}),
                 ("judge", candidate("add_double_buffer", "UnalignAdd")), ("judge", candidate("wrong_call", "Sqrt", record=True)),
                 ("run", {"source": KERNEL.replace("COUNT", "256")}), ("profile", {"source": KERNEL.replace("COUNT", "256")}),
                 ("profile", {k: v for k, v in candidate("add_double_buffer", "UnalignAdd", case="1").items() if k != "cases"}),
                 ("mutate_check", {"task": "UnalignAdd", "files": running.project(ROOT, "add_double_buffer"), "count": 2, "case": "0"})]
        self.assertEqual({name for name, _ in calls}, set(TOOLS))
        for client in (Http(self.server, True), self.lines[False]):
            schemas = {t["name"]: t["outputSchema"] for t in client.ask("tools/list")["result"]["tools"]}
            for name, arguments in calls:
                with self.subTest(name, modern=client.modern):
                    result = client.call(name, arguments)
                    self.assertFalse(result["isError"], result)
                    self.assertTrue(fits(schemas[name], result["structuredContent"]), result["structuredContent"])
                    self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])

    def test_what_tools_say(self):
        ask = lambda name, arguments: Http(self.server, True).call(name, arguments)["structuredContent"]  # noqa: E731
        self.assertIn({"name": "Sqrt", "level": 1, "category": "Math"}, ask("list_tasks", {"contains": "sqrt"})["tasks"])
        self.assertIn("read before the write", ask("explain_finding", {"code": "AK1201"})["title"])
        self.assertEqual(ask("validate_program", {"program": "x = 1\n"})["diagnostics"][0]["code"], "AK1509")
        self.assertEqual(ask("api_card", {"name": "ReduceSum"})["functions"], [{"function": "ReduceSum", "dtypes": "half, float"}])
        lowered = ask("lower_program", {"program": open(os.path.join(ROOT, "examples/craft/softmax.py")).read()})["files"]
        self.assertEqual({path.split("/")[0] for path in lowered}, {"op_host", "op_kernel"})
        past = ask("run", {"source": KERNEL.replace("COUNT", "272")})
        self.assertEqual((past["verdict"], past["findings"][0]["code"]), ("finding", "AK1002"))
        profile = ask("profile", {"task": "UnalignAdd", "files": running.project(ROOT, "add_double_buffer"), "case": "0"})["profiles"][0]
        self.assertEqual((profile["case"], profile["bottleneck"] != "", profile["modelled_us"] > 0), ("0", True, True))
        mutants = ask("mutate_check", {"task": "UnalignAdd", "files": running.project(ROOT, "add_double_buffer"), "count": 2, "case": "0",
                                       "classes": ["drop_queue_call"]})
        self.assertEqual((mutants["usable"], mutants["planted"], mutants["caught"], mutants["missed"]), (True, 2, mutants["observable"], []))

    def test_a_rejected_kernel_is_a_result_and_no_verdict_is_none(self):
        for name, client in self.clients():
            with self.subTest(name):
                got = client.call("judge", candidate("wrong_missing_handoff", "UnalignAdd"))
                found = got["structuredContent"]
                self.assertEqual((got["isError"], found["verdict"], found["reward"]), (False, "finding", 0.3))
                self.assertEqual((found["findings"][0]["code"], found["findings"][0]["cases"]), ("AK1201", ["0"]))
                got = client.call("judge", candidate("convolution_not_yet", "UnalignAdd"))
                self.assertEqual((got["isError"], got["structuredContent"]["verdict"], got["structuredContent"]["reward"]), (True, "unsupported", None))

    def test_findings_of_several_cases_are_told_once(self):
        got = Http(self.server, True).call("run", {"source": "int x;"})["structuredContent"]  # no launch line: one block, no arguments
        self.assertEqual((got["verdict"], got["reason"][:6]), ("build_error", "AK0312"))
        got = Http(self.server, True).call("judge", {"task": "UnalignAdd", "files": running.project(ROOT, "wrong_missing_handoff")})["structuredContent"]
        self.assertGreater(len(got["findings"][0]["cases"]), 1)
        lines = [(f["code"], f["place"]["line"]) for f in got["findings"]]
        self.assertEqual(len(lines), len(set(lines)))

    def test_errors_of_tools_are_clear(self):
        wrong = [("judge", {"task": "NoSuchTask", "text": "x"}, "AK0101"), ("judge", {"task": "Sqrt"}, "AK0902"), ("judge", {}, "AK0902"),
                 ("judge", {"task": "Sqrt", "text": "x", "colour": 1}, "AK0902"), ("judge", {"task": 7}, "AK0902"),
                 ("judge", {"task": "Sqrt", "files": {"../../etc/x": "x"}}, "AK0902"), ("judge", candidate("wrong_call", "Sqrt", cases=["99"]), "AK0103"),
                 ("judge", {**candidate("wrong_call", "Sqrt"), "chip": "nothing"}, "AK0120"), ("show_task", {"task": "../Sqrt"}, "AK0101"), ("skeleton", {"task": "Nope"}, "AK0101"),
                 ("explain_finding", {"code": "AK12/1"}, "AK0901"), ("explain_finding", {"code": "AK9999"}, "AK0901"), ("api_card", {"name": "ReduceSun"}, "AK0901"),
                 ("run", {"source": "x", "launch": "blocks=what"}, "AK0401"), ("run", {}, "AK0902"), ("validate_program", {"program": 1}, "AK0902"),
                 ("mutate_check", {"task": "Sqrt"}, "AK0902"), ("mutate_check", {**candidate("wrong_call", "Sqrt"), "count": 0}, "AK0902")]
        for client in (Http(self.server, True), Http(self.server, False), self.lines[True]):
            for name, arguments, code in wrong:
                with self.subTest(name, arguments=str(arguments)[:60]):
                    result = client.call(name, arguments)
                    self.assertTrue(result["isError"], result)
                    error = json.loads(result["content"][0]["text"])["error"]
                    self.assertEqual(error["code"], code, error)
                    self.assertTrue(error["message"])
                    self.assertNotIn("GET /", error["fix"], "an agent has tools, not routes")
                    self.assertNotIn("structuredContent", result)
        self.assertIn("ReduceSum", json.loads(Http(self.server, True).call("api_card", {"name": "ReduceSun"})["content"][0]["text"])["error"]["fix"])

    def test_only_who_is_on_this_machine_names_folders(self):
        arguments = {"task": "UnalignAdd", "folder": os.path.join(ROOT, "examples/kernels/add_double_buffer"), "cases": ["0"]}
        self.assertEqual(self.lines[True].call("judge", arguments)["structuredContent"]["verdict"], "pass")
        refused = Http(self.server, True).call("judge", arguments)
        self.assertTrue(refused["isError"])
        self.assertEqual(json.loads(refused["content"][0]["text"])["error"]["where"], "folder")
        nothing = self.lines[True].call("judge", {**arguments, "folder": "/no/such/folder"})
        self.assertIn("AK0310", nothing["content"][0]["text"])

    def test_errors_of_the_protocol(self):
        modern, old = Http(self.server, True), Http(self.server, False)
        self.assertEqual((modern.ask("no/such")["error"]["code"], modern.status), (-32601, 404))
        self.assertEqual((old.ask("no/such")["error"]["code"], old.status), (-32601, 200))
        self.assertEqual(modern.ask("tools/call", {"name": "rm"})["error"]["code"], -32602)
        message = modern.message("tools/list")
        message["params"]["_meta"][KEY + "protocolVersion"] = "2030-01-01"
        status, body, _ = self.server.ask("POST", "/mcp", message, {**modern.headers(message), "MCP-Protocol-Version": "2030-01-01"})
        self.assertEqual((status, body["error"]["code"], body["error"]["data"]), (400, -32022, {"supported": [MODERN], "requested": "2030-01-01"}))
        message = modern.message("tools/call", {"name": "list_tasks"})
        for header in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"):
            headers = {**modern.headers(message), header: "other"}
            status, body, _ = self.server.ask("POST", "/mcp", message, headers)
            self.assertEqual((status, body["error"]["code"]), (400, -32020), header)
        bare = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        status, body, _ = self.server.ask("POST", "/mcp", bare, {"MCP-Protocol-Version": MODERN})
        self.assertEqual((status, body["error"]["code"]), (400, -32602))
        del message["params"]["_meta"][KEY + "clientCapabilities"]
        self.assertEqual((self.server.ask("POST", "/mcp", message, modern.headers(message))[1]["error"]["code"]), -32602)
        for body, code in (("nonsense", -32700), ("{}", -32600), ("[]", -32600), ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
                           ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600), ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602)):
            self.assertEqual(self.server.ask("POST", "/mcp", body)[1]["error"]["code"], code, body)
        self.assertEqual(self.server.ask("GET", "/mcp")[0], 405)
        self.assertEqual(self.server.ask("DELETE", "/mcp")[0], 405)
        self.lines[True].say("nonsense")
        self.assertEqual(self.lines[True].hear()["error"]["code"], -32700)

    def test_resources_and_prompts_over_http(self):
        for modern in (True, False):
            client = Http(self.server, modern)
            for method, member in (("resources/list", "resources"), ("resources/templates/list", "resourceTemplates"), ("prompts/list", "prompts")):
                result = client.ask(method)["result"]
                self.assertTrue(result[member])
                self.assertEqual(("ttlMs" in result, "cacheScope" in result), (modern, modern))
            self.assertIn("# Operator Sqrt", client.ask("resources/read", {"uri": "akgen://tasks/Sqrt"})["result"]["contents"][0]["text"])
            self.assertIn("`skeleton`", client.ask("prompts/get", {"name": "start"})["result"]["messages"][0]["content"]["text"])
            self.assertEqual(client.ask("resources/read", {"uri": "akgen://nothing"})["error"]["code"], -32602 if modern else -32002)
            for method in ("resources/read", "prompts/get"):  # without the parameter
                message = client.message(method, {})
                status, body, _ = self.server.ask("POST", "/mcp", message, {k: v for k, v in client.headers({**message, "params": {"uri": "", "name": ""}}).items()})
                self.assertEqual(body["error"]["code"], -32020 if modern else -32602)
            self.assertEqual(client.ask("resources/subscribe", {"uri": "akgen://guide"})["error"]["code"], -32601)

    def test_openenv_speaks_without_a_handshake(self):
        status, body, _ = self.server.ask("POST", "/mcp", {})
        self.assertEqual((status, body["jsonrpc"]), (200, "2.0"))
        ws = running.WebSocket(self.server, "/mcp")
        session = ws.ask({"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create"})["result"]["session_id"]
        self.assertEqual([t["name"] for t in ws.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}})["result"]["tools"]], TOOLS)
        got = ws.ask({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "judge", "arguments": candidate("add_double_buffer", "UnalignAdd"), "session_id": session}})
        self.assertEqual(got["result"]["structuredContent"]["verdict"], "pass")
        self.assertTrue(ws.ask({"jsonrpc": "2.0", "id": 4, "method": "openenv/session/close", "params": {"session_id": session}})["result"]["closed"])
        ws.close()

    def test_progress_comes_before_the_result(self):
        for name, client in self.clients():
            with self.subTest(name):
                client.call("judge", candidate("sqrt_via_float", "Sqrt", seed="fresh"), token="t1")
                self.assertTrue(client.notes)
                steps = [n["params"]["progress"] for n in client.notes]
                self.assertEqual(steps, sorted(set(steps)))
                self.assertEqual({n["params"]["progressToken"] for n in client.notes}, {"t1"})
                self.assertIn("running", [n["params"]["message"] for n in client.notes])
                client.call("judge", candidate("sqrt_via_float", "Sqrt"))
                self.assertEqual(client.notes, [], "nobody asked for them")

    def cancelled(self):
        return self.server.metric('akgen_judgements_total{verdict="cancelled"}')

    def test_closing_the_connection_ends_the_judgement(self):
        client = Http(self.server, True)
        for token in (None, "t"):
            self.assertTrue(self.server.wait_until(lambda: self.server.metric("akgen_inflight") == 0))
            before = self.cancelled()
            message = client.message("tools/call", {"name": "judge", "arguments": slow()}, token)
            c = http.client.HTTPConnection("127.0.0.1", self.server.port)
            c.request("POST", "/mcp", json.dumps(message), client.headers(message))
            self.assertTrue(self.server.wait_until(lambda: self.server.metric("akgen_inflight") == 1), token)
            c.sock.close()
            self.assertTrue(self.server.wait_until(lambda: self.cancelled() == before + 1 and self.server.metric("akgen_inflight") == 0), token)

    def test_a_cancellation_over_http_is_of_its_session_alone(self):
        clients = [Http(self.server, False) for _ in range(2)]
        for c in clients:
            c.ask("initialize", {"protocolVersion": "2025-06-18"})
        before, got = self.cancelled(), []
        thread = threading.Thread(target=lambda: got.append(clients[0].send(clients[0].message("tools/call", {"name": "judge", "arguments": slow()}))))
        thread.start()
        self.assertTrue(self.server.wait_until(lambda: self.server.metric("akgen_inflight") > 0))
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": clients[0].number}}
        self.assertEqual(self.server.ask("POST", "/mcp", note, clients[1].headers(note))[0], 202)
        time.sleep(0.2)
        self.assertEqual(self.cancelled(), before)
        self.assertEqual(self.server.ask("POST", "/mcp", note, clients[0].headers(note))[0], 202)
        self.assertTrue(self.server.wait_until(lambda: self.cancelled() == before + 1))
        thread.join()

    def test_a_cancelled_call_over_lines_is_not_answered(self):
        client = Lines(True)
        message = client.message("tools/call", {"name": "judge", "arguments": slow()}, "t")
        client.say(message)
        while client.hear()["params"]["message"] != "running":
            pass
        begun = time.time()
        client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}})
        self.assertEqual(client.call("judge", candidate("wrong_call", "Sqrt"))["structuredContent"]["verdict"], "build_error")
        self.assertLess(time.time() - begun, 30)
        self.assertEqual(client.close(), 0)

    def test_what_was_asked_is_answered_after_the_end_of_input(self):
        client = Lines(True)
        message = client.message("tools/call", {"name": "judge", "arguments": candidate("add_double_buffer", "UnalignAdd")})
        out, _ = client.process.communicate(json.dumps(message) + "\n", timeout=150)
        self.assertEqual(json.loads(out.splitlines()[-1])["result"]["structuredContent"]["verdict"], "pass")
        self.assertEqual(client.process.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
