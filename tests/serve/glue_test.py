#!/usr/bin/env python3
"""The files that trainers load (examples/training), called as the trainers call them, over a real server.

usage: glue_test.py AKGEN ROOT      The trainers' own classes are stood in for here; tests/serve/clients has them real.
"""
import asyncio
import importlib.util
import os
import pathlib
import sys
import types
import unittest

AKGEN, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "python"))
import akgen  # noqa: E402

GLUE = ROOT / "examples/training"
MOST_LINES = 60


def answer(name):
    return "Here.\n" + "".join(f"`{p}`:\n```cpp\n{c}```\n" for p, c in akgen.files_of(ROOT / "examples/kernels" / name).items())


def load(path, **stand_ins):
    sys.modules.update(stand_ins)
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, GLUE / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def package(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    return module


class Glue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = akgen.Client.start(akgen=AKGEN, jobs=2, options=["--seed", "7"])
        akgen.set_default(cls.client)
        cls.right, cls.finding, cls.build, cls.unsupported = map(answer, ("sqrt_via_float", "wrong_misaligned_offset", "wrong_call", "convolution_not_yet"))

    @classmethod
    def tearDownClass(cls):
        akgen.set_default(None)
        cls.client.close()

    def test_trl(self):
        glue, logged = load("trl_reward.py"), {}
        got = glue.akgen_reward(prompts=["p"] * 4, completions=[self.right, [{"role": "assistant", "content": self.finding}], self.unsupported, "no code"],
                                task=["Sqrt", "Sqrt", "UnalignAdd", "Sqrt"], completion_ids=[[1]] * 4, trainer_state=None, log_metric=logged.__setitem__)
        self.assertEqual(got, [1.0, 0.3, None, 0.0])
        self.assertEqual(logged, {"akgen/left_out": 0.25})
        with self.assertRaises(akgen.NotFound):
            glue.akgen_reward(completions=["x"], task=["Nope"])

    def test_verl(self):
        glue = load("verl_reward.py")
        score = lambda text, task: asyncio.run(glue.compute_score("akgen", text, task, extra_info={"split": "train"}, sandbox_fusion_url=None))
        got = score(self.right, "Sqrt")
        self.assertEqual((got["score"], got["passed"], got["verdict"]), (1.0, 1.0, "pass"))
        self.assertEqual(score(self.build, "Sqrt")["score"], 0.0)
        with self.assertRaises(akgen.Unsupported):
            score(self.unsupported, "UnalignAdd")

    def test_openrlhf(self):
        glue = load("openrlhf_reward.py")
        prompt = "Write it.\n```cpp\nvoid shown() {}\n```\n"
        got = glue.reward_func([prompt + self.right, prompt + self.finding, prompt + "No."], [prompt] * 3, ["Sqrt"] * 3)
        self.assertEqual((got["rewards"], got["extra_logs"]["passed"]), ([1.0, 0.3, 0.0], [1.0, 0.0, 0.0]))
        with self.assertRaises(akgen.Unsupported):
            glue.reward_func([self.unsupported], [""], ["UnalignAdd"])

    def test_ms_swift(self):
        orms = {}
        load("swift_reward.py", swift=package("swift"), **{"swift.rewards": package("swift.rewards", ORM=object, orms=orms)})
        self.assertEqual(orms["akgen"]()([self.right, self.build], task=["Sqrt", "Sqrt"], solution=["", ""]), [1.0, 0.0])
        with self.assertRaises(akgen.Unsupported):
            orms["akgen"]()([self.unsupported], task=["UnalignAdd"])

    def test_skyrl(self):
        class BaseTextEnv:
            def __init__(self):
                self.turns, self.max_turns = 0, 1
        registered = []
        base = package("skyrl_gym.envs.base_text_env", BaseTextEnv=BaseTextEnv, BaseTextEnvStepOutput=dict)
        registration = package("skyrl_gym.envs.registration", register=lambda **more: registered.append(more))
        glue = load("skyrl_akgen/skyrl_akgen.py", skyrl_gym=package("skyrl_gym"), **{"skyrl_gym.envs": package("skyrl_gym.envs"), base.__name__: base, registration.__name__: registration})
        self.assertEqual(registered, [{"id": "akgen", "entry_point": "skyrl_akgen:AkgenEnv"}])
        env = glue.AkgenEnv(env_config={}, extras={"task": "Sqrt"})
        first, second = env.step(self.finding), env.step(self.right)
        self.assertEqual((first["reward"], first["done"], second["done"], second["observations"]), (0.3, False, True, []))
        self.assertAlmostEqual(first["reward"] + second["reward"], 1.0)
        self.assertIn("AK1004", first["observations"][0]["content"])
        with self.assertRaises(akgen.Unsupported):
            glue.AkgenEnv(extras={"task": "UnalignAdd"}).step(self.unsupported)

    def test_verifiers(self):
        class Generic:
            def __class_getitem__(cls, _):
                return cls

        class Task(Generic):
            def __init__(self, data, config):
                self.data, self.config = data, config
        v1 = package("verifiers.v1", TaskData=types.SimpleNamespace, TasksetConfig=object, Task=Task, Taskset=Generic, reward=lambda weight: lambda f: f)
        glue = load("verifiers_akgen/verifiers_akgen.py", verifiers=package("verifiers", v1=v1), **{"verifiers.v1": v1})
        taskset = glue.AkgenTaskset()
        taskset.config = types.SimpleNamespace(level=None, tasks=["Sqrt", "UnalignAdd"], task=None)
        tasks = {t.data.task: t for t in taskset.load()}
        self.assertEqual(set(tasks), {"Sqrt", "UnalignAdd"})
        reward = lambda name, text: asyncio.run(tasks[name].akgen_reward(types.SimpleNamespace(last_reply=text)))
        self.assertEqual((reward("Sqrt", self.right), reward("Sqrt", self.finding)), (1.0, 0.3))
        with self.assertRaises(akgen.Unsupported):
            reward("UnalignAdd", self.unsupported)

    def test_they_are_short(self):
        found = [p for p in [*GLUE.glob("*_reward.py"), *GLUE.glob("*_akgen/*.py")]]
        self.assertEqual(len(found), 6)
        for path in found:
            self.assertLess(len(path.read_text().splitlines()), MOST_LINES, path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
