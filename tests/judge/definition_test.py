#!/usr/bin/env python3
"""AK3010 to AK3016: operator definitions that the toolkit would refuse or misroute, and others that are right; workspaces
that are smaller than what the kernel uses.

definition_test.py AKGEN REPO
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fresh_cache import fresh_cache  # noqa: E402

AKGEN, REPO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
ADD, RMS = ("examples/kernels/add_double_buffer", "UnalignAdd"), ("examples/kernels/rms_norm_rows", "RmsNorm")
SUM, ASKED = ("examples/kernels/sasum_two_phase", "Sasum"), "platform.GetLibApiWorkSpaceSize() + blocks * kSlot"
HALF = "DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND})"
TWO = "DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND})"
CHIPS = '.AddConfig("ascend910b").AddConfig("ascend910_93")'
ADD_CLASS = "class UnalignAdd"
SETUP = "    this->AICore()"


def infer(name, context, body):
    """Edits that give the operator a function of this name."""
    function = f"static ge::graphStatus {name}(gert::{context} *c) {{ {body} return ge::GRAPH_SUCCESS; }}\n"
    return [("op_host", ADD_CLASS, function + ADD_CLASS), ("op_host", SETUP, f"    this->Set{name}({name});\n{SETUP}")]


# name -> (example and task, edits of one side, code or None where it is right)
DEFINITIONS = {
    "as it is": (ADD, [], None),
    "a list of tensors": (ADD, [("op_host", 'Input("y").ParamType(REQUIRED)', 'Input("y").ParamType(DYNAMIC)')], "AK3010"),
    "optional": (ADD, [("op_host", 'Input("y").ParamType(REQUIRED)', 'Input("y").ParamType(OPTIONAL)')], None),
    "inputs in another order": (ADD, [("op_host", 'Input("x")', 'Input("?")'), ("op_host", 'Input("y")', 'Input("x")'), ("op_host", 'Input("?")', 'Input("y")')], "AK3010"),
    "inputs of other names": (ADD, [("op_host", 'Input("x")', 'Input("left")'), ("op_host", 'Input("y")', 'Input("right")')], None),
    "lists of unequal length": (ADD, [("op_host", f'Input("y").ParamType(REQUIRED).{HALF}', f'Input("y").ParamType(REQUIRED).{TWO}')], "AK3011"),
    "a format too many": (ADD, [("op_host", "Format({ge::FORMAT_ND})", "Format({ge::FORMAT_ND, ge::FORMAT_ND})")], "AK3011"),
    "no data type": (ADD, [("op_host", f'Input("y").ParamType(REQUIRED).{HALF}', 'Input("y").ParamType(REQUIRED)')], "AK3011"),
    "two columns": (ADD, [("op_host", HALF, TWO)], None),
    "follows another": (ADD, [("op_host", f'Input("y").ParamType(REQUIRED).{HALF}', 'Input("y").ParamType(REQUIRED).Follow("x")')], None),
    "a list beside the columns": (ADD, [("op_host", f'Input("y").ParamType(REQUIRED).{HALF}', f'Input("y").ParamType(REQUIRED).{HALF}.DataTypeList({{ge::DT_FLOAT16}})')], "AK3011"),
    "one list for all columns": (ADD, [("op_host", HALF, TWO), ("op_host", f'Input("y").ParamType(REQUIRED).{TWO}', 'Input("y").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT16})')], None),
    "another data type": (ADD, [("op_host", HALF, HALF.replace("FLOAT16", "FLOAT"))], "AK3012"),
    "another output": (ADD, [("op_host", f'Output("z").ParamType(REQUIRED).{HALF}', f'Output("z").ParamType(REQUIRED).{HALF.replace("FLOAT16", "FLOAT")}')], "AK3012"),
    "no column of both": (ADD, [("op_host", HALF, TWO), ("op_host", f'Output("z").ParamType(REQUIRED).{TWO}', 'Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND})')], "AK3012"),
    "an attribute of another type": (RMS, [("op_host", '.Float(1e-6)', '.Int(0)')], "AK3013"),
    "an attribute like a word of Python": (RMS, [("op_host", SETUP, '    this->Attr("lambda").AttrType(OPTIONAL).Float(1.0);\n' + SETUP)], "AK3013"),
    "another attribute": (RMS, [("op_host", SETUP, '    this->Attr("lambd").AttrType(OPTIONAL).Float(1.0);\n' + SETUP)], None),
    "another chip": (ADD, [("op_host", CHIPS, '.AddConfig("ascend310p")')], "AK3014"),
    "no chip": (ADD, [("op_host", CHIPS, "")], "AK3014"),
    "this chip": (ADD, [("op_host", CHIPS, '.AddConfig("ascend910b")')], None),
    "a kernel of another name": (ADD, [("op_kernel", "void unalign_add(", "void unalign_sum(")], "AK3015"),
    "a kernel of the configured name": (ADD, [("op_kernel", "void unalign_add(", "void unalign_sum("), ("op_host", SETUP, '    OpAICoreConfig config;\n    config.ExtendCfgInfo("opInterface.value", "unalign_sum");\n' + SETUP), ("op_host", '.AddConfig("ascend910b")', '.AddConfig("ascend910b", config)')], None),
    "another operator": (ADD, [("op_host", "class UnalignAdd", "class OtherAdd"), ("op_host", "explicit UnalignAdd", "explicit OtherAdd"), ("op_host", "OP_ADD(UnalignAdd)", "OP_ADD(OtherAdd)")], "AK3015"),
    "tiling data of another operator": (ADD, [("op_host", "REGISTER_TILING_DATA_CLASS(UnalignAdd,", "REGISTER_TILING_DATA_CLASS(OtherAdd,")], "AK3015"),
    "a wrong shape": (ADD, infer("InferShape", "InferShapeContext", "*c->GetOutputShape(0) = gert::Shape({3});"), "AK3016"),
    "the right shape": (ADD, infer("InferShape", "InferShapeContext", "*c->GetOutputShape(0) = *c->GetInputShape(0);"), None),
    "a shape not known yet": (ADD, infer("InferShape", "InferShapeContext", "*c->GetOutputShape(0) = gert::Shape({-1, 256});"), None),
    "a wrong output type": (ADD, infer("InferDataType", "InferDataTypeContext", "c->SetOutputDataType(0, ge::DT_FLOAT);"), "AK3016"),
    "an output type left open": (ADD, infer("InferDataType", "InferDataTypeContext", "(void)c;"), None),
    "only the system's workspace": (SUM, [("op_host", ASKED, "platform.GetLibApiWorkSpaceSize()")], "AK1002"),
    "only the kernel's own workspace": (SUM, [("op_host", ASKED, "blocks * kSlot")], "AK1002"),
    "a slot too few": (SUM, [("op_host", ASKED, ASKED.replace("blocks", "(blocks - 1)"))], "AK1002"),
    "no workspace": (SUM, [("op_host", ASKED, "0")], "AK1002"),
    "a slot more": (SUM, [("op_host", ASKED, ASKED.replace("blocks", "(blocks + 1)"))], None),
    "the right output type": (ADD, infer("InferDataType", "InferDataTypeContext", "c->SetOutputDataType(0, c->GetInputDataType(0));"), None),
}


def codes_of(record):
    return [f["code"] for c in record["cases"] for f in c.get("findings", [])]


class Definition(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cache = tempfile.TemporaryDirectory(prefix="akgen_definition_")
        cls.addClassCleanup(cache.cleanup)
        cls.env = {**os.environ, "AKGEN_CACHE": fresh_cache(cache.name)}

    def judge(self, of, edits):
        example, task = of
        with tempfile.TemporaryDirectory(prefix="akgen_definition_") as folder:
            project, record = pathlib.Path(folder) / "candidate", pathlib.Path(folder) / "record.json"
            shutil.copytree(REPO / example, project)
            for side, before, after in edits:
                found = 0
                for file in (project / side).iterdir():
                    text = file.read_text()
                    found += text.count(before)
                    file.write_text(text.replace(before, after))
                self.assertTrue(found, f"the example has no {before!r}")
            done = subprocess.run([str(AKGEN), "judge", str(project), "--task", task, "--case", "0", "--seed", "1", "--json", str(record)],
                                  env=self.env, capture_output=True, text=True, timeout=120)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            return json.loads(record.read_text())

    # A workspace too small leaves the result wrong as well, which the verdict says first.
    def met(self, code, verdict="finding"):
        faulty = [(name, of, edits) for name, (of, edits, meets) in DEFINITIONS.items() if meets == code]
        self.assertTrue(faulty)
        for name, of, edits in faulty:
            with self.subTest(name):
                record = self.judge(of, edits)
                self.assertEqual(record["verdict"], verdict, record["reason"])
                self.assertIn(code, codes_of(record))

    def test_parameters(self):
        self.met("AK3010")

    def test_lengths(self):
        self.met("AK3011")

    def test_columns(self):
        self.met("AK3012")

    def test_attributes(self):
        self.met("AK3013")

    def test_chips(self):
        self.met("AK3014")

    def test_names(self):
        self.met("AK3015")

    def test_inference(self):
        self.met("AK3016")

    def test_workspace(self):
        self.met("AK1002", "wrong_answer")

    def test_right_definitions_pass(self):
        for name, (of, edits, code) in DEFINITIONS.items():
            if not code:
                with self.subTest(name):
                    record = self.judge(of, edits)
                    self.assertEqual((record["verdict"], codes_of(record)), ("pass", []), record["reason"])


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)
