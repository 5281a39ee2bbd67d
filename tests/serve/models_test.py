#!/usr/bin/env python3
"""Local models behind OpenAI's interface, as its clients send and read. usage: models_test.py AKGEN ROOT"""
import http.client
import json
import os
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import running  # noqa: E402

AKGEN, ROOT = sys.argv[1], sys.argv[2]
MODEL = os.path.join(ROOT, "models/kernelgen-lm-mini/sft2")
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"


def chat(text="inputs x float16\ny = sqrt(x)\noutputs y\n", **more):
    return {"model": "sft2", "messages": [{"role": "user", "content": text}], "max_tokens": 24, "seed": 1, **more}


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = running.Server(AKGEN, "-j", "1", "--model", MODEL)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def ask(self, path, body, status=200):
        got, answer, _ = self.server.ask("POST", path, body)
        self.assertEqual(got, status, answer)
        return answer

    def events(self, path, body):
        got, text, headers = self.server.ask("POST", path, {**body, "stream": True})
        self.assertEqual((got, headers["content-type"]), (200, "text/event-stream"))
        lines = [line[6:] for line in text.split("\n\n") if line]
        self.assertEqual(lines[-1], "[DONE]")
        return [json.loads(line) for line in lines[:-1]]

    def test_models_are_listed(self):
        listed = self.server.ask("GET", "/v1/models")[1]
        self.assertEqual((listed["object"], [m["id"] for m in listed["data"]]), ("list", ["sft2"]))
        self.assertEqual(self.server.ask("GET", "/v1/models/sft2")[1]["object"], "model")
        self.assertEqual(self.server.ask("GET", "/v1/models/other")[0], 404)

    def test_a_chat(self):
        got = self.ask(CHAT, chat())
        choice = got["choices"][0]
        self.assertEqual((got["object"], got["model"], choice["index"], choice["message"]["role"]), ("chat.completion", "sft2", 0, "assistant"))
        self.assertIn(choice["finish_reason"], ("stop", "length"))
        self.assertTrue(choice["message"]["content"])
        usage = got["usage"]
        self.assertEqual(usage["total_tokens"], usage["prompt_tokens"] + usage["completion_tokens"])
        self.assertTrue(0 < usage["completion_tokens"] <= 24 and usage["prompt_tokens"] > 10, usage)

    def test_it_says_what_the_model_says(self):
        """The same request to akgen-lm's own line protocol."""
        line = json.dumps({"messages": chat()["messages"], "max_tokens": 24, "temperature": 0})
        lm = os.path.join(os.path.dirname(AKGEN), "akgen-lm")
        want = json.loads(subprocess.run([lm, "serve", MODEL], input=line + "\n", capture_output=True, text=True, check=True).stdout.splitlines()[0])["choices"][0]
        got = self.ask(CHAT, chat(temperature=0))["choices"][0]
        self.assertEqual((got["message"]["content"], got["finish_reason"]), (want["text"], want["finish"]))

    def test_seeds_n_and_temperature(self):
        texts = lambda **more: [c["message"]["content"] for c in self.ask(CHAT, chat(temperature=1.5, **more))["choices"]]  # noqa: E731
        four = texts(n=4)
        self.assertEqual(len(four), 4)
        self.assertGreater(len(set(four)), 1)
        self.assertEqual(texts(n=4), four)
        self.assertEqual(texts(n=1), four[:1])
        self.assertNotEqual(texts(n=4, seed=99), four)
        cold = [self.ask(CHAT, chat(temperature=0, seed=s))["choices"][0]["message"]["content"] for s in (1, 2)]
        self.assertEqual(cold[0], cold[1])

    def test_limits_and_stop(self):
        got = self.ask(CHAT, chat(temperature=0, max_tokens=3))
        self.assertEqual((got["usage"]["completion_tokens"], got["choices"][0]["finish_reason"]), (3, "length"))
        self.assertEqual(self.ask(CHAT, chat(temperature=0, max_tokens=None, max_completion_tokens=3))["usage"]["completion_tokens"], 3)
        whole = self.ask(CHAT, chat(temperature=0))["choices"][0]["message"]["content"]
        mark = whole[len(whole) // 2:][:3]
        for stop in (mark, [mark, "never there"]):
            got = self.ask(CHAT, chat(temperature=0, stop=stop))["choices"][0]
            self.assertEqual((got["message"]["content"], got["finish_reason"]), (whole[:whole.index(mark)], "stop"))

    def test_a_grammar_holds_the_answer(self):
        got = self.ask(CHAT, chat(grammar='root ::= "yes" | "no"', temperature=1))
        self.assertIn(got["choices"][0]["message"]["content"], ("yes", "no"))
        error = self.ask(CHAT, chat(grammar="root ::= root"), 400)["error"]
        self.assertEqual((error["code"], error["type"]), ("AK1931", "invalid_request_error"))

    def test_in_parts(self):
        whole = self.ask(CHAT, chat(temperature=0))
        events = self.events(CHAT, chat(temperature=0, stream_options={"include_usage": True}))
        self.assertEqual({e["object"] for e in events}, {"chat.completion.chunk"})
        self.assertEqual(events[0]["choices"][0]["delta"], {"role": "assistant"})
        text = "".join(c["delta"].get("content", "") for e in events for c in e["choices"])
        self.assertEqual(text, whole["choices"][0]["message"]["content"])
        self.assertEqual([c["finish_reason"] for e in events for c in e["choices"] if c["finish_reason"]], [whole["choices"][0]["finish_reason"]])
        self.assertEqual((events[-1]["choices"], events[-1]["usage"]), ([], whole["usage"]))
        two = self.events(CHAT, chat(n=2))
        self.assertEqual({c["index"] for e in two for c in e["choices"]}, {0, 1})
        self.assertNotIn("usage", two[-1])

    def test_texts_are_continued(self):
        got = self.ask(TEXT, {"model": "sft2", "prompt": ["def f(x):\n", "import"], "max_tokens": 8, "temperature": 0, "n": 2})
        self.assertEqual((got["object"], [c["index"] for c in got["choices"]]), ("text_completion", [0, 1, 2, 3]))
        self.assertEqual(got["choices"][0]["text"], got["choices"][1]["text"])
        events = self.events(TEXT, {"prompt": "def f(x):\n", "max_tokens": 8, "temperature": 0})
        self.assertEqual("".join(c["text"] for e in events for c in e["choices"]), got["choices"][0]["text"])

    def test_what_makes_no_sense_is_told(self):
        wrong = [(CHAT, {"model": "sft2"}, 400), (CHAT, "nonsense", 400), (CHAT, chat(n=0), 400), (CHAT, chat(n=65), 400), (CHAT, chat(temperature=-1), 400),
                 (CHAT, chat(top_p=0), 400), (CHAT, chat(max_tokens=0), 400), (CHAT, chat(messages=[]), 400), (CHAT, chat(messages=[{"role": "tool", "content": "x"}]), 400),
                 (CHAT, chat(tools=[{"type": "function"}]), 400), (CHAT, chat(logprobs=True), 400), (CHAT, chat(response_format={"type": "json_object"}), 400),
                 (CHAT, chat(messages=[{"role": "user", "content": [{"type": "image_url"}]}]), 400), (CHAT, chat(model="gpt"), 404), (TEXT, {"prompt": []}, 400),
                 (TEXT, {"prompt": "x", "echo": True}, 400), (CHAT, chat(text="x " * 5000), 400), (CHAT, chat(stop=7), 400), (CHAT, chat(seed="x"), 400)]
        for path, body, status in wrong:
            with self.subTest(body=str(body)[:80]):
                error = self.ask(path, body, status)["error"]
                self.assertEqual(set(error), {"message", "type", "param", "code"})
                self.assertTrue(error["message"] and error["code"].startswith("AK"))
        parts = chat(messages=[{"role": "developer", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "x"}]}], tools=[], user="me")
        self.ask(CHAT, parts)

    def test_many_at_once_and_some_who_leave(self):
        got = []
        threads = [threading.Thread(target=lambda s=s: got.append((s, self.ask(CHAT, chat(temperature=1, seed=s))))) for s in range(12)]
        for t in threads:
            t.start()
        for s in range(4):
            c = http.client.HTTPConnection("127.0.0.1", self.server.port)
            c.request("POST", CHAT, json.dumps(chat(seed=100 + s)))
            c.sock.close()
        for t in threads:
            t.join()
        for s, answer in got:
            self.assertEqual(answer["choices"][0]["message"], self.ask(CHAT, chat(temperature=1, seed=s))["choices"][0]["message"], "depends on its seed alone")

    def test_a_folder_without_a_model(self):
        p = subprocess.run([AKGEN, "serve", "--port", "0", "--model", os.path.join(ROOT, "docs")], capture_output=True, text=True, timeout=60)
        self.assertEqual(p.returncode, 2)
        self.assertIn("AK0902", p.stderr)

    def test_no_model_no_route(self):
        with running.Server(AKGEN, "-j", "1") as server:
            self.assertEqual(server.ask("POST", CHAT, chat())[0], 404)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
