#!/usr/bin/env python3
"""The protocols of trainers, as their clients send them. usage: protocols_test.py AKGEN ROOT"""
import http.client
import http.cookiejar
import json
import os
import sys
import threading
import time
import unittest
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]


def text_of(name):
    return "An answer.\n" + "".join(f"`{path}`:\n```cpp\n{content}```\n" for path, content in running.project(ROOT, name).items())


FINDING_REWARD = 0.3  # its values are right
RIGHT, FINDING, WRONG, BUILD, UNSUPPORTED = (text_of(n) for n in ("sqrt_via_float", "wrong_misaligned_offset", "wrong_missing_tail", "wrong_call", "convolution_not_yet"))


class Protocols(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = running.Server(AKGEN, "-j", "2", "--seed", "7")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def ask(self, path, body):
        return self.server.ask("POST", path, body)

    # OpenEnv

    def test_openenv_session(self):
        ws = running.WebSocket(self.server)
        first = ws.ask({"type": "reset", "data": {"task": "Sqrt", "seed": 1, "episode_id": "e1"}})
        self.assertEqual(first["type"], "observation")
        self.assertEqual((first["data"]["reward"], first["data"]["done"], first["data"]["observation"]["task"]), (None, False, "Sqrt"))
        rewards = []
        for code, verdict in ((BUILD, "build_error"), (FINDING, "finding"), (FINDING, "finding"), (RIGHT, "pass")):
            got = ws.ask({"type": "step", "data": {"code": code}})
            self.assertEqual(got["type"], "observation", got)
            self.assertEqual(got["data"]["observation"]["verdict"], verdict)
            rewards.append(got["data"]["reward"])
        self.assertEqual(rewards[:3], [0.0, FINDING_REWARD, 0.0])
        self.assertAlmostEqual(sum(rewards), 1.0)
        self.assertTrue(got["data"]["done"])
        state = ws.ask({"type": "state"})["data"]
        self.assertEqual((state["episode_id"], state["step_count"], state["solved"]), ("e1", 4, True))
        self.assertEqual(ws.ask({"type": "step", "data": {"code": "x"}})["data"]["code"], "VALIDATION_ERROR")
        ws.say({"type": "close"})
        with self.assertRaises(EOFError):
            ws.hear()
        ws.close()

    def test_openenv_errors_are_frames(self):
        ws = running.WebSocket(self.server)
        for message, code in (("{", "INVALID_JSON"), ({"type": "dance"}, "UNKNOWN_TYPE"), ({"no": 1}, "VALIDATION_ERROR"), ([], "VALIDATION_ERROR"),
                              ({"type": "step", "data": {"code": "x"}}, "VALIDATION_ERROR"), ({"type": "reset", "data": {"task": "../x"}}, "VALIDATION_ERROR"),
                              ({"type": "reset", "data": {"seed": -1}}, "VALIDATION_ERROR"), ({"type": "reset", "data": {"index": 10**9}}, "VALIDATION_ERROR")):
            got = ws.ask(message)
            self.assertEqual((got["type"], got["data"]["code"]), ("error", code), message)
        ws.ask({"type": "reset", "data": {"problem_id": "UnalignAdd"}})
        for action in ({}, {"code": 1}, {"code": "x", "more": 1}):
            self.assertEqual(ws.ask({"type": "step", "data": action})["data"]["code"], "VALIDATION_ERROR")
        got = ws.ask({"type": "step", "data": {"code": UNSUPPORTED}})
        self.assertEqual((got["type"], got["data"]["code"], got["data"]["retryable"]), ("error", "EXECUTION_ERROR", False))
        ws.close()

    def test_openenv_pings_are_answered_while_judging(self):
        ws = running.WebSocket(self.server)
        ws.ask({"type": "reset", "data": {"task": "FastGelu"}})
        ws.say({"type": "step", "data": {"code": text_of("fast_gelu")}})
        begun = time.time()
        ws.frame(9, b"there?")
        self.assertEqual(ws.hear_frame(), (10, b"there?"))
        self.assertLess(time.time() - begun, 1)
        self.assertEqual(ws.hear()["data"]["observation"]["verdict"], "pass")
        ws.close()

    def test_openenv_over_http(self):
        ask = self.server.ask
        first = ask("POST", "/reset", {"task": "Sqrt"})[1]
        self.assertEqual(first["reward"], None)
        self.assertIn("// File: ", first["observation"]["answer_format"])
        me = {"X-Episode-Id": first["metadata"]["episode_id"]}
        status, got, _ = ask("POST", "/step", {"action": {"code": RIGHT}, "timeout_s": 60}, me)
        self.assertEqual((status, set(got), got["reward"], got["done"]), (200, {"observation", "reward", "done", "metadata"}, 1.0, True))
        self.assertEqual((got["metadata"]["episode_id"], got["metadata"]["reward_version"]), (me["X-Episode-Id"], 2))
        self.assertTrue(ask("GET", "/state", headers=me)[1]["solved"])
        self.assertEqual(ask("POST", "/step", {"action": {}}, me)[0], 422)
        self.assertEqual(ask("POST", "/step", {"action": {"code": "x"}}, {**me, "X-Client-Id": "other"})[0], 404)
        for path, body in (("/step", {"action": {"code": "x"}}), ("/state", None)):  # nobody knows which one is meant
            status, got, _ = ask("POST" if body else "GET", path, body)
            self.assertEqual((status, got["error"]["where"]), (422, "episode_id"), got)
        self.assertEqual(ask("GET", "/state?episode_id=none")[0], 404)
        status, got, _ = ask("POST", "/reset", {"task": "UnalignAdd", "episode_id": "mine"})
        self.assertEqual((status, got["metadata"]["episode_id"]), (200, "mine"))
        self.assertEqual(ask("POST", "/step", {"action": {"code": UNSUPPORTED}, "episode_id": "mine"})[0], 503)
        self.assertEqual(ask("GET", "/state?episode_id=mine")[1]["step_count"], 0)
        self.assertEqual(ask("GET", "/health")[1], {"status": "healthy"})
        self.assertEqual(ask("GET", "/schema")[1]["action"]["required"], ["code"])
        self.assertIn("description", ask("GET", "/metadata")[1])

    def test_two_openenv_clients_on_one_host(self):
        """One keeps cookies, as sessions of `requests` do, the other sends the id; each has its own episode."""
        jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

        def with_cookies(path, body=None):
            request = urllib.request.Request(f"http://127.0.0.1:{self.server.port}{path}", None if body is None else json.dumps(body).encode())
            with jar.open(request, timeout=120) as reply:
                return json.load(reply)

        def with_id(path, body=None, query=""):
            return self.server.ask("GET" if body is None else "POST", path + query, body)[1]
        with_cookies("/reset", {"task": "Sqrt"})
        mine = {"episode_id": with_id("/reset", {"task": "FastGelu"})["metadata"]["episode_id"]}
        self.assertEqual(with_cookies("/step", {"action": {"code": FINDING}})["observation"]["task"], "Sqrt")
        got = with_id("/step", {"action": {"code": "no code"}, **mine})["observation"]
        self.assertEqual((got["task"], got["verdict"]), ("FastGelu", "no_code"))
        got = with_cookies("/step", {"action": {"code": RIGHT}})
        self.assertEqual((got["observation"]["verdict"], got["done"]), ("pass", True))
        self.assertEqual([with_cookies("/state")["step_count"], with_id("/state", query="?episode_id=" + mine["episode_id"])["step_count"]], [2, 1])

    def test_task_routes(self):
        ask = self.server.ask
        tasks = ask("GET", "/v1/tasks")[1]["tasks"]
        self.assertEqual(ask("GET", "/list_environments")[1], ["akgen"])
        splits = {s["name"]: s["type"] for s in ask("GET", "/akgen/splits")[1]}
        self.assertEqual(splits, {"all": "test", "level1": "test", "level2": "test", "level3": "test"})
        level1 = ask("POST", "/akgen/tasks", {"split": "level1"})[1]["tasks"]
        self.assertEqual(len(level1), sum(t["level"] == 1 for t in tasks))
        self.assertEqual(ask("POST", "/akgen/num_tasks", {"split": "all"})[1], {"num_tasks": len(tasks)})
        self.assertEqual(ask("POST", "/akgen/task", {"split": "level1", "index": 3})[1]["task"], level1[3])
        self.assertEqual(ask("POST", "/akgen/task_range", {"split": "level1", "start": 2, "stop": 5})[1]["tasks"], level1[2:5])
        self.assertEqual(ask("POST", "/akgen/task_range", {"split": "level1", "start": -2})[1]["tasks"], level1[-2:])
        for path, body, status in (("/akgen/task", {"split": "level1", "index": len(level1)}, 400), ("/akgen/task", {"split": "level1", "index": -1}, 400),
                                   ("/akgen/tasks", {"split": "../.."}, 400), ("/akgen/tasks", {}, 422), ("/other/tasks", {"split": "all"}, 404)):
            self.assertEqual(ask("POST", path, body)[0], status, (path, body))

    # OpenRLHF and slime

    def test_get_reward(self):
        prompt = "Write Sqrt.\n```cpp\nextern \"C\" __global__ __aicore__ void shown() {}\n```\n"
        status, got, _ = self.ask("/get_reward", {"query": [prompt + RIGHT, prompt + FINDING, prompt + BUILD, prompt + "No."], "prompts": [prompt] * 4,
                                                  "labels": ["Sqrt", {"task": "Sqrt", "cases": ["0"]}, "Sqrt", "Sqrt"]})
        self.assertEqual(status, 200, got)
        self.assertEqual(got["rewards"], [1.0, FINDING_REWARD, 0.0, 0.0])
        self.assertEqual(got["reward_version"], 2)
        self.assertEqual(got["scores"], got["rewards"])
        self.assertEqual(got["extra_logs"], {"compiled": [1, 1, 0, 0], "correct": [1, 0, 0, 0]})

    def test_get_reward_fails_rather_than_guesses(self):
        status, got, headers = self.ask("/get_reward", {"query": [RIGHT, UNSUPPORTED], "prompts": ["", ""], "labels": ["Sqrt", "UnalignAdd"]})
        self.assertEqual(status, 503)
        self.assertNotIn("rewards", got)
        for body, want in (({"query": ["x"], "labels": []}, 422), ({"query": "x", "labels": "y"}, 422), ({"query": ["x"], "labels": ["Nope"]}, 404), ({"query": ["x"], "labels": [7]}, 422), ([], 422)):
            self.assertEqual(self.ask("/get_reward", body)[0], want, body)

    def test_slime(self):
        self.assertEqual(self.ask("/slime", {"prompt": "p", "response": RIGHT, "label": "Sqrt"})[:2], (200, 1.0))
        self.assertEqual(self.ask("/slime", {"prompt": "p", "response": UNSUPPORTED, "label": "UnalignAdd"})[0], 503)
        self.assertEqual(self.ask("/slime", {"prompt": "p", "response": "", "label": "Sqrt"})[:2], (200, 0.0))

    # SandboxFusion and verl

    def run_code(self, code, stdin, **more):
        return self.ask("/run_code", {"compile_timeout": 10, "run_timeout": 10, "code": code, "stdin": stdin, "language": "python", "files": {}, "fetch_files": [], **more})

    def test_run_code(self):
        status, got, _ = self.run_code(RIGHT, "Sqrt#case0\n")
        self.assertEqual((status, got["status"], got["run_result"]["status"], got["run_result"]["return_code"], got["run_result"]["stdout"]), (200, "Success", "Finished", 0, "PASS\n"))
        got = self.run_code(FINDING, "Sqrt")[1]
        self.assertEqual((got["status"], got["run_result"]["return_code"], got["compile_result"]["return_code"]), ("Failed", 1, 0))
        self.assertIn("AK1004", got["run_result"]["stderr"])
        got = self.run_code(BUILD, "Sqrt")[1]
        self.assertEqual((got["status"], got["run_result"], got["compile_result"]["return_code"]), ("Failed", None, 1))
        self.assertEqual(self.run_code(FINDING, "Sqrt#compile")[1]["status"], "Success")

    def test_run_code_takes_what_stands_in_the_first_fence(self):
        """As verl sends it: the text between the first two fences, without the language."""
        with open(f"{ROOT}/examples/craft/lerp.py") as f:
            program = "```python\n" + f.read() + "```"
        for answer in (running.answer(running.project(ROOT, "sqrt_via_float")), program):
            inside = answer.split("```")[1].split("\n", 1)[1]
            got = self.run_code(inside, "Sqrt" if "File:" in inside else "Lerp", memory_limit_MB=1024)[1]
            self.assertEqual((got["status"], got["run_result"]["stdout"]), ("Success", "PASS\n"), got)

    def test_run_code_is_not_charged_for_the_queue(self):
        """The work before it takes longer than the client waits for a byte, and than the request's limits."""
        body = json.dumps({"compile_timeout": 1, "run_timeout": 1, "code": RIGHT + "It waits.", "stdin": "Sqrt#case4", "memory_limit_MB": 1024})
        slow = [self.server.ask("POST", "/v1/jobs", {"task": "UnalignAdd", "files": running.endless(ROOT), "seed": 100 + i, "cache": False})[1]["id"] for i in range(12)]
        c = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=6)  # between two bytes, as `requests` counts
        begun = time.time()
        c.request("POST", "/run_code", body, {"X-Request-Id": "r-1"})
        threading.Timer(9, lambda: [self.server.ask("DELETE", "/v1/jobs/" + job) for job in slow]).start()
        reply = c.getresponse()
        got = json.loads(reply.read())
        waited = time.time() - begun
        c.close()
        self.assertEqual((reply.status, got["status"], reply.getheader("X-Request-Id")), (200, "Success", "r-1"), got)
        self.assertGreater(waited, 6)

    # What every protocol that gives a reward asks for

    def test_hidden_cases_are_the_default(self):
        """A host side that refuses sizes which are not published passes what is known of the task, and gets nothing for it."""
        text = running.answer(running.public_only(ROOT))
        judged = self.server.judge({"task": "Sqrt", "text": text, "form": "auto"})[1]
        self.assertNotEqual(judged["verdict"], "pass")
        self.assertTrue(judged["reason"].startswith("hidden cases: "), judged["reason"])
        self.assertRegex(judged["feedback"], r"(\d+) of \1 cases pass\n\d of 4 hidden cases pass\n")
        self.assertEqual([c["id"] for c in judged["record"]["cases"] if c["verdict"] == "pass"][:5], list("01234"))
        wanted = judged["reward"]
        self.assertLess(wanted, 1)
        self.assertEqual(self.ask("/slime", {"prompt": "p", "response": text, "label": "Sqrt"})[1], wanted)
        self.assertEqual(self.ask("/get_reward", {"query": [text], "labels": ["Sqrt"]})[1]["rewards"], [wanted])
        self.assertEqual([self.run_code(text, part)[1]["status"] for part in ("Sqrt", "Sqrt#hidden", "Sqrt#case0")], ["Failed", "Failed", "Success"])
        ws = running.WebSocket(self.server)
        ws.ask({"type": "reset", "data": {"task": "Sqrt"}})
        self.assertEqual(ws.ask({"type": "step", "data": {"code": text}})["data"]["reward"], wanted)
        ws.close()
        told = self.ask("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "judge", "arguments": {"task": "Sqrt", "text": text}}})[1]
        self.assertEqual(told["result"]["structuredContent"]["reward"], wanted)
        self.assertEqual(self.server.judge({"task": "Sqrt", "text": text, "form": "auto", "hidden": 0})[1]["verdict"], "pass")
        self.assertEqual(self.server.judge({"task": "Sqrt", "text": text, "form": "auto", "cases": ["0"]})[1]["verdict"], "pass")
        for inputs, range_group in ("wide", "run: "), ("upstream", "not run: inputs are upstream's"):
            found = self.server.judge({"task": "Sqrt", "text": text, "form": "auto", "hidden": 0, "inputs": inputs})[1]
            self.assertTrue(found["record"]["range"].startswith(range_group), found["record"]["range"])
        self.assertEqual(self.server.judge({"task": "Sqrt", "text": text, "inputs": "narrow"})[0], 422)
        self.assertEqual(self.server.judge({"task": "Sqrt", "text": text, "hidden": 65})[0], 422)

    def test_run_code_failures(self):
        self.assertEqual(self.run_code(UNSUPPORTED, "UnalignAdd")[1]["status"], "SandboxError")
        self.assertEqual(self.run_code(UNSUPPORTED, "UnalignAdd", memory_limit_MB=1024)[0], 504)
        for stdin in ("", "#compile", "Sqrt#what", None, 7):
            self.assertEqual(self.run_code(RIGHT, stdin)[0], 422, stdin)
        self.assertEqual(self.run_code(RIGHT, "../../etc/passwd")[0], 404)
        self.assertEqual(self.run_code(RIGHT, "Sqrt", run_timeout=-100)[0], 422)

    # OpenAPI

    def test_openapi_describes_every_route(self):
        doc = self.server.ask("GET", "/openapi.json")[1]
        self.assertTrue(doc["openapi"].startswith("3.1"))
        self.assertTrue(doc["info"]["version"].startswith("1."))
        for path in ("/v1/judge", "/v1/jobs/{id}/events", "/reset", "/step", "/state", "/get_reward", "/run_code", "/openapi.json"):
            self.assertIn(path, doc["paths"])

        def references(value):
            if isinstance(value, dict):
                for k, v in value.items():
                    if k == "$ref":
                        yield v
                    else:
                        yield from references(v)
            elif isinstance(value, list):
                for v in value:
                    yield from references(v)
        found = set(references(doc))
        self.assertIn("#/components/schemas/judgement", found)
        for reference in found:
            at = doc
            for part in reference.split("/")[1:]:
                at = at[part]
            self.assertIsInstance(at, dict, reference)

    def test_256_sessions_at_a_time(self):
        sockets = [running.WebSocket(self.server) for _ in range(256)]
        for ws in sockets:
            ws.say({"type": "reset", "data": {"task": "Sqrt"}})
        for ws in sockets:
            self.assertEqual(ws.hear()["type"], "observation")
        for ws in sockets:
            ws.say({"type": "step", "data": {"code": RIGHT}})
        self.assertEqual({ws.hear()["data"]["reward"] for ws in sockets}, {1.0})
        for ws in sockets:
            ws.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
