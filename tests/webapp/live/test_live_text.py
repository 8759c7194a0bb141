"""/ws/workshops/{code}/text/: a shared text as the pages that have it open see it."""

import json

import pytest
from asgiref.sync import sync_to_async
from pycrdt import Decoder, Encoder, create_update_message

from tests.webapp.live.sockets import PATIENCE_SECONDS, Socket
from tests.webapp.workshops import people
from tests.webapp.workshops.text.writers import Writer, typed
from webapp.budget import Purse
from webapp.live import text as live
from webapp.workshops.text import keeping, line

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]

opened, join, change = map(sync_to_async, (people.opened, people.join, people.change))
room = sync_to_async(people.room)


class Page(Socket):
    """A page with a copy of the text, that does what the server's frames say."""

    def __init__(self, person, code):
        cookie = f"fuselab_owner={person.cookies['fuselab_owner'].value}".encode()
        super().__init__(f"/ws/workshops/{code}/text/", cookie=cookie)
        self.writer = Writer()

    async def begin(self):
        await self.open()
        kind, state = await self.frame()
        assert kind == line.HAVE
        await self.send(bytes=line.lack(self.writer.doc.get_update(state)))
        await self.send(bytes=line.have(self.writer.doc.get_state()))
        await self.until(line.LACK)
        return self

    async def frame(self):
        message = await self.receive_output(PATIENCE_SECONDS)
        if message["type"] == "websocket.close":
            return "closed", message["code"]
        if message.get("text"):
            return "error", json.loads(message["text"])["error"]
        return line.read(message["bytes"])

    async def until(self, wanted):
        """What the next message of this kind carries; changes before it are taken in."""
        while True:
            kind, content = await self.frame()
            if kind in (line.LACK, line.CHANGED):
                self.writer.receive(content)
            if kind == wanted:
                return content
            assert kind not in ("error", "closed"), content

    async def sees(self, client, clock):
        """What is said of the cursor of `client` at this clock; who asks for cursors may be told of
        one that they know."""
        while (told := shown(await self.until(line.PRESENCE)))[:2] != (client, clock):
            assert told[0] == client and told[1] < clock, told
        return told[2]

    async def types(self, text):
        self.writer.insert(len(str(self.writer.text)), text)
        await self.send(bytes=create_update_message(self.writer.unsent.pop()))

    async def reads(self, text):
        while str(self.writer.text) != text:
            await self.until(line.CHANGED)


async def two(alice, bob, pen=True):
    """The code of a workshop, the leader's page, and another's who has the pen."""
    code = await opened(alice)
    seat = (await join(bob, code)).json()["you"]
    await change(alice, code, f"/seats/{seat}", pen=pen)
    return code, await Page(alice, code).begin(), await Page(bob, code).begin()


async def test_what_one_writes_all_see(alice, bob):
    code, lena, sam = await two(alice, bob)
    await lena.types("x = 1\n")
    await sam.reads("x = 1\n")
    await sam.types("y = 2\n")
    await lena.reads("x = 1\ny = 2\n")
    late = await Page(bob, code).begin()
    assert str(late.writer.text) == "x = 1\ny = 2\n"
    for page in (lena, sam, late):
        await page.leave()


async def test_what_was_written_while_the_line_was_cut_is_merged(alice, bob, monkeypatch):
    code, lena, sam = await two(alice, bob)
    await lena.types("x = 1\n")
    await sam.reads("x = 1\n")
    await lena.leave()
    lena.writer.insert(0, "# offline\n")
    await sam.types("y = 2\n")
    # Another process serves who comes back.
    monkeypatch.setattr(keeping, "copies", keeping.Copies())
    again = Page(alice, code)
    again.writer = lena.writer
    await again.begin()
    await sam.reads("# offline\nx = 1\ny = 2\n")
    await again.reads("# offline\nx = 1\ny = 2\n")
    await sam.leave()
    await again.leave()


async def test_a_change_whose_message_was_lost_comes_with_the_next(alice, bob):
    code, lena, sam = await two(alice, bob)
    append = sync_to_async(keeping.copies.append)
    [seat] = [s async for s in live.Seat.objects.filter(workshop=code, leads=True)]
    await append(code, seat.owner, typed("unheard "))
    await lena.types("heard")
    await sam.until(line.CHANGED)
    await sam.until(line.CHANGED)
    assert sorted(str(sam.writer.text).replace("unheard ", "")) == sorted("heard")
    await lena.leave()
    await sam.leave()


async def test_who_has_no_pen_is_told_so_and_reads_on(alice, bob):
    _, lena, sam = await two(alice, bob, pen=False)
    await sam.types("mine")
    kind, error = await sam.frame()
    assert (kind, error["message"]) == ("error", "You do not have the pen of the shared text.")
    sam.writer = Writer()
    await sam.send(bytes=line.have(sam.writer.doc.get_state()))
    await lena.types("x")
    await sam.reads("x")
    await lena.leave()
    await sam.leave()


@pytest.mark.parametrize("frame", [b"", b"\x07", b"\x00\x02\x05x", b"\x00\x02\x02\xff\xff"])
async def test_a_frame_that_cannot_be_read_is_refused_once(alice, bob, frame):
    _, lena, sam = await two(alice, bob)
    await sam.send(bytes=frame)
    kind, error = await sam.frame()
    assert kind == "error" and error["remedy"]
    await sam.types("x")
    await lena.reads("x")
    await lena.leave()
    await sam.leave()


async def test_who_sends_too_much_is_sent_away(alice, bob, monkeypatch):
    monkeypatch.setattr(live, "_paid", live.Budgets(0.001, 6.5))
    _, lena, sam = await two(alice, bob)
    for _ in range(7):
        await sam.send(bytes=b"\x07")
    found = [await sam.frame() for _ in range(6)]
    assert found[-2][1]["message"] == "Your page sends more than is taken of one person."
    assert found[-1] == ("closed", live.TOO_MUCH)
    await lena.leave()


async def test_who_is_removed_is_out_at_once(alice, bob):
    code, lena, sam = await two(alice, bob)
    seat = (await room(bob, code))["you"]
    await sync_to_async(alice.delete)(f"{people.BASE}/{code}/seats/{seat}")
    assert (await sam.frame())[1]["message"] == "You were removed from this workshop."
    assert await sam.frame() == ("closed", 4403)
    await lena.leave()


@pytest.mark.parametrize(("made", "code"), [(True, 4403), (False, 4404)])
async def test_outsiders_read_nothing(alice, made, code):
    name = await opened(alice) if made else "k7mq-2p9x"
    socket = await Socket(f"/ws/workshops/{name}/text/").open()
    assert (await socket.next())["error"]["input"] == "code"
    assert await socket.next() == code
    await socket.leave()


def pointing(client, clock, **state):
    encoder = Encoder()
    for number in (1, client, clock):
        encoder.write_var_uint(number)
    encoder.write_var_string(json.dumps(state))
    return line.presence(encoder.to_bytes())


def shown(content):
    numbers = Decoder(content)
    _, client, clock = (numbers.read_var_uint() for _ in range(3))
    return client, clock, json.loads(numbers.read_var_string())


async def test_the_cursor_of_who_writes_is_shown_with_the_name_that_the_server_knows(alice, bob):
    code, lena, sam = await two(alice, bob)
    seat = (await room(bob, code))["you"]
    liar = {"seat": 1, "name": "Lena"}
    await sam.send(bytes=pointing(9, 3, user=liar, cursor={"anchor": 1}))
    told = {"user": {"seat": seat, "name": "Sam"}, "cursor": {"anchor": 1}}
    assert await lena.sees(9, 3) == told
    # Who comes later is told as well, and who has lost the pen has no cursor.
    late = await Page(alice, code).begin()
    assert await late.sees(9, 3) == told
    await change(alice, code, f"/seats/{seat}", pen=False)
    for page in (lena, late):
        assert await page.sees(9, 4) is None
    await sam.send(bytes=pointing(9, 5, cursor={"anchor": 2}))
    assert await lena.receive_nothing(timeout=0.1)
    for page in (lena, sam, late):
        await page.leave()


async def test_the_cursor_of_who_goes_is_gone(alice, bob):
    _, lena, sam = await two(alice, bob)
    await sam.send(bytes=pointing(9, 3, cursor=None))
    await lena.sees(9, 3)
    await sam.leave()
    assert await lena.sees(9, 4) is None
    await lena.leave()


async def test_what_a_page_asks_for_is_owed_by_whoever_asks(alice, monkeypatch):
    """Two bytes ask for all of a text and its history, again and again."""
    code, owed = await opened(alice), []
    monkeypatch.setattr(Purse, "spent", lambda purse, cost: owed.append(cost))
    page = await Page(alice, code).begin()
    asked = len(owed)
    # What it has, which was new to nobody, and what it lacks.
    assert asked == 2
    page.writer.insert(0, "x" * 200_000)
    await page.send(bytes=create_update_message(page.writer.unsent[-1]))
    await page.until(line.CHANGED)
    await page.send(bytes=line.have(b"\0"))
    await page.until(line.LACK)
    assert len(owed) == 4 and owed[-1] > 10
    await page.leave()
