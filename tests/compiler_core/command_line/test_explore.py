"""The command line's contract: exit codes, one sentence a mistake, the report as JSON."""

import json
import signal
import subprocess
import sys

import pytest

from compiler_core.__main__ import main
from compiler_core.report import SCHEMA

pytestmark = pytest.mark.cpu

GOOD = "# inputs: f32[8,16]\nimport torch\n\ndef f(x):\n    return torch.tanh(x) * 2\n"


def run(tmp_path, source, *arguments):
    file = tmp_path / "snippet.py"
    file.write_bytes(source if isinstance(source, bytes) else source.encode())
    out = tmp_path / "report.json"
    code = main(["explore", str(file), "--no-measure", "--json", str(out), *arguments])
    return code, json.loads(out.read_text())


def test_a_program_that_reaches_the_end_is_exit_0_and_a_full_report(tmp_path):
    code, report = run(tmp_path, GOOD)
    assert code == 0 and report["schema"] == SCHEMA
    (program,) = report["programs"]
    assert program["status"] == "ok" and program["framework"] == "torch"
    kinds = {a["kind"] for s in program["stages"] for a in s["artifacts"]}
    assert {"captured", "ir", "loops", "triton", "c", "ttir", "ttgir", "llir", "ptx"} <= kinds
    on_cpu, on_gpu = program["kernels"]
    assert (on_cpu["backend"], on_gpu["backend"]) == ("cpu", "gpu")
    assert on_cpu["library"] is None and on_cpu["bytes_written"] == 8 * 16 * 4


def test_a_snippet_that_fails_is_exit_1_with_its_line(tmp_path):
    code, report = run(tmp_path, "import torch\n\nx = undefined_name\n")
    assert code == 1
    assert report["error"]["line"] == 3 and "undefined_name" in report["error"]["message"]


def test_a_syntax_error_is_exit_1_with_its_line(tmp_path):
    code, report = run(tmp_path, "import torch\ndef f(:\n    pass\n")
    assert code == 1 and report["error"]["line"] == 2


def test_ctrl_c_is_one_sentence_and_the_exit_code_of_a_shell(tmp_path, capsys):
    """As a signal, which no `raise` of the snippet's is; where the tests run in the background of a
    shell, it came to them ignored."""
    file = tmp_path / "snippet.py"
    file.write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["explore", str(file)]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "python -m compiler_core: interrupted\n"


# As the command line is begun, and its results have no place one after the other.
UNWRITTEN = """
import os, sys
from compiler_core.__main__ import main

asked = ["explore", sys.argv[1], "--no-measure"]
codes = [main([*asked, "--json=/dev/full"])]
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
sys.exit((*codes, main(asked)) != (3, 3))
"""


def test_a_result_that_cannot_be_written_is_one_sentence_and_the_summary_is_not_lost(tmp_path):
    """In one process, because to import the frameworks takes longer than all of this."""
    (tmp_path / "snippet.py").write_text(GOOD)
    command = [sys.executable, "-c", UNWRITTEN, tmp_path / "snippet.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = "python -m compiler_core: {} cannot be written: No space left on device"
    both = [said.format("--json /dev/full"), said.format("the standard output")]
    assert (done.returncode, done.stderr.splitlines()[-2:]) == (0, both)
    assert "Traceback" not in done.stderr and done.stdout.count("f (torch, line 4)") == 1


def test_the_target_decides_the_assembly(tmp_path):
    _, report = run(tmp_path, GOOD, "--target", "gfx942")
    stage = next(s for s in report["programs"][0]["stages"] if s["name"] == "compile gfx942")
    assert any("amdgcn" in a["text"] for a in stage["artifacts"])


def test_inputs_on_the_command_line_win_over_the_comment(tmp_path):
    _, report = run(tmp_path, GOOD, "--inputs", "f32[3,5]")
    assert report["programs"][0]["inputs"] == ["f32[3,5]"]


def test_without_json_it_prints_a_summary(tmp_path, capsys):
    file = tmp_path / "snippet.py"
    file.write_text(GOOD)
    assert main(["explore", str(file), "--no-measure"]) == 0
    said = capsys.readouterr().out
    assert "f (torch, line 4): f32[8,16]" in said and "elementwise" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explore", "no-such-file.py"], "cannot read no-such-file.py"),
        (["explore", __file__, "--target", "sm_12"], "sm_12"),
        (["explore", __file__, "--compilers", "core,gcc"], "'gcc' is not a compiler"),
        (["explore", __file__, "--inputs", "f32[3,"], "f32[3,"),
        (["explore", __file__, "--json", "/no/such/dir/x.json"], "there is no directory"),
        ([], "required"),
    ],
)
def test_a_wrong_command_line_is_exit_2_and_one_sentence(arguments, said, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    message = capsys.readouterr().err
    assert said in message and message.count("\n") == 1


def test_bytes_that_are_no_text_are_exit_2(tmp_path, capsys):
    file = tmp_path / "binary.py"
    file.write_bytes(b"\x00\xff\xfe")
    with pytest.raises(SystemExit) as caught:
        main(["explore", str(file)])
    assert caught.value.code == 2 and "not UTF-8" in capsys.readouterr().err


def test_help_is_exit_0():
    command = [sys.executable, "-m", "compiler_core", "explore", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0 and "--compilers" in done.stdout


def test_a_gpu_that_is_not_there_is_exit_2_with_the_remedy(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(SystemExit) as end:
        run(tmp_path, GOOD, "--device", "cuda")
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert "--device cuda: this machine has no GPU that PyTorch can use; choose the device" in said
    assert "Traceback" not in said and said.count("\n") == 1


def test_two_reports_are_compared(tmp_path, capsys):
    code, _ = run(tmp_path, "import torch\n\nx = undefined_name\n")
    file = str(tmp_path / "report.json")
    assert (code, main(["compare", file, file])) == (1, 0)
    assert "the same versions and options" in capsys.readouterr().out
    run_of_api = tmp_path / "run.json"
    written = (tmp_path / "report.json").read_text()
    run_of_api.write_text(f'{{"id": "x", "report": {written}}}')
    assert main(["compare", file, str(run_of_api)]) == 0
    assert "the same versions and options" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "cannot read"), ("{}]", "is no report"), ('{"id": "x"}', "is no report")],
)
def test_what_is_no_report_is_one_sentence(tmp_path, capsys, text, words):
    file = tmp_path / "r.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SystemExit) as refused:
        main(["compare", str(file), str(file)])
    assert refused.value.code == 2 and words in capsys.readouterr().err
