"""A runner that says what no runner says: the run ends with a sentence, the service goes on."""

import struct

import pytest

from compiler_core.report import Notice, Noticed, Options, encode_event
from tests.worker.conftest import LIMITS, Deed
from worker.sandbox import protocol
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session

HOSTILE = {
    "garbage": "stream.sendall(b'\\0' * 1000)",
    "unknown kind": "stream.sendall(b'X\\0\\0\\0\\0')",
    "oversized": "stream.sendall(b'E\\xff\\xff\\xff\\xff' + b'x' * 1000)",
    "lease of no device": "stream.sendall(b'L\\0\\0\\0\\1x')",
    "not JSON": "stream.sendall(b'E\\0\\0\\0\\4nope')",
    "unknown tag": "stream.sendall(b'E\\0\\0\\0\\x10' + b'{\"type\": \"evil\"}')",
    "wrong type": 'p = b\'{"type": "printed", "stream": 1, "text": ""}\'\n'
    "stream.sendall(b'E\\0\\0\\0' + bytes([len(p)]) + p)",
    "nested deeply": "p = b'{\"type\": \"finished\", \"x\": ' + b'[' * 9999 + b']' * 9999 + b'}'\n"
    "stream.sendall(b'E' + len(p).to_bytes(4, 'big') + p)",
    "not announced": 'p = b\'{"type": "facts", "program": 7}\'\n'
    "stream.sendall(b'E\\0\\0\\0' + bytes([len(p)]) + p)",
}


@pytest.mark.service
@pytest.mark.parametrize("deeds", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_frame_ends_the_run_with_a_sentence(deed: Deed, deeds: str) -> None:
    outcome = deed(f"say('reached')\n{deeds}\nimport time; time.sleep(60)")
    assert outcome.stage == "sandbox"
    assert outcome.message.startswith("The run was stopped because its process sent ")
    assert outcome.said == ["reached"]
    assert deed("say('well')").said == ["well"]


@pytest.mark.service
def test_a_flood_of_events_ends_the_run(deed: Deed) -> None:
    outcome = deed("while True: say('x' * 60000)")
    assert outcome.stage == "output"
    assert outcome.message == "The run was stopped because it sent too much: more than 192 MiB."


@pytest.mark.service
def test_a_flood_of_frames_that_say_nothing_ends_the_run(deed: Deed) -> None:
    outcome = deed("while True: stream.sendall(b'R\\0\\0\\0\\0' * 10_000)")
    assert outcome.stage == "output"
    assert outcome.message.endswith("it sent too much: more than 40,000 frames.")


@pytest.mark.service
def test_texts_too_long_for_a_frame_are_left_out_with_a_notice(deed: Deed) -> None:
    source = (
        "from compiler_core.report import *\n"
        "emit(ProgramFound(0, 'f', 'torch', Entry(), []))\n"
        "text = 'x' * (17 << 20)\n"
        "emit(StageDone(0, Stage('c', 'ok', 1.0, [Artifact('a', 'c', 'c', text)])))"
    )
    outcome = deed(source)
    limit = "more than 16 MiB, or than 1,000,000 values"
    assert outcome.said == [f"The texts of stage c were left out: {limit}."]
    assert outcome.report.programs[0].stages[0].artifacts == []


@pytest.mark.service
def test_events_arrive_before_the_run_ends(server: ForkServer) -> None:
    session = Session(
        server, protocol.Request("say(1); import time; time.sleep(60)", Options()), LIMITS
    )
    batches = session.batches()
    assert next(batches)
    batches.close()


@pytest.mark.service
def test_events_in_quick_succession_come_in_batches(deed: Deed, server: ForkServer) -> None:
    request = protocol.Request("for i in range(2000): say(i)", Options())
    batches = list(Session(server, request, LIMITS).batches())
    said = [event for batch in batches for event in batch if isinstance(event, Noticed)]
    assert [event.notice.text for event in said] == [str(i) for i in range(2000)]
    assert len(batches) < 200


@pytest.mark.service
def test_giving_up_on_a_run_ends_it(server: ForkServer, deed: Deed) -> None:
    session = Session(server, protocol.Request("while True: say('x')", Options()), LIMITS)
    for _ in session.batches():
        break
    assert deed("pass").report.error is None


def reader() -> protocol.FrameReader:
    return protocol.FrameReader(protocol.FROM_RUNNER, protocol.MAX_RUN)


def test_frames_survive_any_cut() -> None:
    events = [encode_event(Noticed(Notice("info", str(i)))) for i in range(3)]
    data = b"".join(protocol.pack(protocol.EVENT, event) for event in events)
    frames = reader()
    got = [frame for i in range(len(data)) for frame in frames.feed(data[i : i + 1])]
    assert got == [(protocol.EVENT, event) for event in events]


def test_length_is_refused_before_the_payload_comes() -> None:
    with pytest.raises(protocol.ProtocolViolation, match="16777217 bytes"):
        list(reader().feed(struct.pack("!cI", b"E", protocol.MAX_FRAME + 1)))
