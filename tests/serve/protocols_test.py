#!/usr/bin/env python3
"""The protocols of trainers, as their clients send them. usage: protocols_test.py AKGEN ROOT"""
import json
import os
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]


def text_of(name):
    return "An answer.\n" + "".join(f"`{path}`:\n```cpp\n{content}```\n" for path, content in running.project(ROOT, name).items())


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
        self.assertEqual(rewards[:3], [0.0, 0.1, 0.0])
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
        who = {"X-Client-Id": "http"}
        ask = self.server.ask
        self.assertEqual(ask("POST", "/reset", {"task": "Sqrt"}, who)[1]["reward"], None)
        status, got, _ = ask("POST", "/step", {"action": {"code": RIGHT}, "timeout_s": 60}, who)
        self.assertEqual((status, set(got), got["reward"], got["done"]), (200, {"observation", "reward", "done"}, 1.0, True))
        self.assertTrue(ask("GET", "/state", headers=who)[1]["solved"])
        self.assertEqual(ask("POST", "/step", {"action": {}}, who)[0], 422)
        self.assertEqual(ask("POST", "/step", {"action": {"code": "x"}}, {"X-Client-Id": "other"})[0], 422)
        self.assertEqual(ask("GET", "/health")[1], {"status": "healthy"})
        self.assertEqual(ask("GET", "/schema")[1]["action"]["required"], ["code"])
        self.assertIn("description", ask("GET", "/metadata")[1])

    def test_task_routes(self):
        ask = self.server.ask
        tasks = ask("GET", "/v1/tasks")[1]["tasks"]
        self.assertEqual(ask("GET", "/list_environments")[1], ["akgen"])
        splits = [s["name"] for s in ask("GET", "/akgen/splits")[1]]
        self.assertIn("level1", splits)
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
        self.assertEqual(got["rewards"], [1.0, 0.1, 0.0, 0.0])
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
