"""What one address may ask for, and how long it may take to ask."""

import asyncio
import json

import pytest

from webapp.address import address
from webapp.budget import USUAL_MS, Budgets, Places, Purse, weight
from webapp.limits import budgeted, refuse
from webapp.live.guard import guarded
from webapp.patience import patient


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def scope(path="/", client="10.0.0.1", **headers):
    raw = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    return {"type": "http", "path": path, "client": (client, 1), "headers": raw}


@pytest.mark.parametrize(
    ("path", "cost"),
    [
        ("/static/app/a.js", 0),
        ("/healthz", 0),
        ("/", 2),
        ("/r/abc", 2),
        ("/api/v1/runs", 2),
        ("/api/v1/runs/abc", 10),
        ("/api/v1/runs/abc/texts/0", 2),
        ("/api/v1/runs/a/compare/b", 2),
        ("/ws/runs/abc/", 5),
    ],
)
def test_what_costs_the_server_more_weighs_more(path, cost):
    assert weight(path) == cost


def test_a_budget_fills_again_and_never_over():
    clock = Clock()
    budgets = Budgets(10, 30, clock)
    assert [budgets.pay("a", 20) for _ in range(2)] == [0, 1.0]
    assert budgets.pay("b", 20) == 0
    clock.now = 1.0
    assert budgets.pay("a", 20) == 0
    clock.now = 1000.0
    assert [budgets.pay("a", 30), budgets.pay("a", 1)] == [0, 0.1]


def test_what_was_spent_is_owed_up_to_a_bound():
    clock = Clock()
    budgets = Budgets(10, 30, clock)
    purse = Purse(budgets, "a")
    assert purse.charge(5) == 0
    purse.took(5 + USUAL_MS)
    assert budgets.pay("a", 25) == 0
    purse.took(5 + USUAL_MS + 10)
    assert budgets.pay("a", 1) == 1.1
    purse.took(1e9)
    assert budgets.pay("a", 1) == 30.1
    clock.now = 30.1
    assert budgets.pay("a", 1) == 0


def test_what_is_remembered_of_addresses_is_bounded():
    budgets = Budgets(1, 1)
    for number in range(20_000):
        budgets.pay(str(number), 1)
    assert len(budgets._left) == 10_000


@pytest.mark.parametrize(
    ("proxies", "forwarded", "who"),
    [
        (0, "1.1.1.1", "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "6.6.6.6, 1.1.1.1", "1.1.1.1"),
        (2, "6.6.6.6, 1.1.1.1, 2.2.2.2", "1.1.1.1"),
        (3, "1.1.1.1", "1.1.1.1"),
        (1, "2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        (1, "2001:db8:0:1::", "2001:db8:0:1::/64"),
        (1, "::ffff:1.1.1.1", "1.1.1.1"),
        (1, "fe80::1%eth0", "fe80::/64"),
        (1, "somebody", "somebody"),
    ],
)
def test_a_forwarded_address_counts_behind_so_many_proxies(settings, proxies, forwarded, who):
    settings.NINJA_NUM_PROXIES = proxies
    headers = {"x_forwarded_for": forwarded} if forwarded else {}
    assert address(scope(**headers)) == who


async def asked(application, asks):
    sent = []

    async def send(message):
        sent.append(message)

    await application(asks, None, send)
    return sent


async def test_who_has_spent_the_budget_is_told_when_to_come_again():
    reached = []

    async def inner(scope, receive, send):
        reached.append(scope["path"])

    application = budgeted(inner, Budgets(10, 15, Clock()), Places(10))
    assert await asked(application, scope("/api/v1/runs/a")) == []
    start, body = await asked(application, scope("/api/v1/runs/a"))
    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (429, b"1")
    assert json.loads(body["body"])["error"]["remedy"] == "Try again in 1 s."
    assert await asked(application, scope("/api/v1/runs/a", client="10.0.0.2")) == []
    assert await asked(application, scope("/static/a.js")) == []
    assert len(reached) == 3


async def test_an_address_holds_so_many_sockets_and_gets_back_those_that_close():
    close, holding = asyncio.Event(), []

    async def inner(scope, receive, send):
        holding.append(scope["path"])
        await close.wait()

    application = guarded(inner, Budgets(1000, 1000), Places(2))
    asks = {**scope("/ws/runs/a/", host="testserver"), "type": "websocket"}

    async def opened():
        sent = []
        came = iter(("connect", "disconnect"))

        async def receive():
            return {"type": f"websocket.{next(came)}", "code": 1006}

        async def send(message):
            sent.append(message)

        await application(asks, receive, send)
        return sent

    held = [asyncio.create_task(opened()) for _ in range(2)]
    await asyncio.sleep(0)
    assert [message["type"] for message in await opened()] == ["websocket.close"]
    close.set()
    await asyncio.gather(*held)
    assert await opened() == []
    assert len(holding) == 3


async def test_a_body_that_does_not_arrive_is_given_up_with_a_sentence():
    async def inner(scope, receive, send):
        assert (await receive())["type"] == "http.disconnect"
        await send({"type": "http.response.start", "status": 500})

    async def receive():
        await asyncio.Event().wait()

    sent = []

    async def send(message):
        sent.append(message)

    await patient(inner, 0.01, refuse)(scope(), receive, send)
    assert [message.get("status") for message in sent] == [408, None]
    assert json.loads(sent[1]["body"])["error"]["message"] == "The request's body did not arrive."


async def test_a_body_that_arrives_leaves_all_time_for_the_answer():
    async def inner(scope, receive, send):
        assert (await receive())["body"] == b"x"
        assert (await receive())["type"] == "http.disconnect"

    messages = iter(
        [(0, {"type": "http.request", "body": b"x"}), (0.05, {"type": "http.disconnect"})]
    )

    async def receive():
        wait, message = next(messages)
        await asyncio.sleep(wait)
        return message

    await patient(inner, 0.02, refuse)(scope(), receive, None)


async def test_an_answer_is_paid_by_its_bytes():
    clock = Clock()
    budgets = Budgets(100, 100, clock)

    async def inner(scope, receive, send):
        for _ in range(2):
            await send({"type": "http.response.body", "body": b"x" * 2**21})

    sending = asyncio.create_task(
        asked(budgeted(inner, budgets, Places(10)), scope("/api/v1/runs/a"))
    )
    await asyncio.sleep(0.01)
    # 10 for the request, 40 and 40 for the answer.
    assert [budgets.pay("10.0.0.1", 11), budgets.pay("10.0.0.1", 10)] == [0.01, 0]
    assert len(await sending) == 2


async def test_a_body_is_paid_by_its_bytes_before_it_is_read():
    reached = []

    async def inner(scope, receive, send):
        reached.append(scope["path"])

    # 2 for a request, and 60 for a MiB.
    application = budgeted(inner, Budgets(10, 100, Clock()), Places(10))
    asks = scope("/api/v1/workshops", content_length=str(2**20))
    assert await asked(application, asks) == []
    start, _ = await asked(application, asks)
    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (429, b"3")
    assert await asked(application, scope("/api/v1/workshops")) == []
    assert len(reached) == 2


async def test_what_is_sent_over_a_socket_is_paid_as_well():
    clock = Clock()
    budgets = Budgets(1000, 70, clock)
    heard = []

    async def inner(scope, receive, send):
        for _ in range(2):
            heard.append(await receive())

    async def receive():
        return {"type": "websocket.receive", "text": "x" * 2**20}

    application = guarded(inner, budgets, Places(2))
    asks = {**scope("/ws/runs/a/", host="testserver"), "type": "websocket"}
    talking = asyncio.create_task(application(asks, receive, None))
    await asyncio.sleep(0.01)
    assert len(heard) == 1
    clock.now = 1.0
    await asyncio.wait_for(talking, 5)
    assert len(heard) == 2


async def test_who_has_spent_the_budget_waits_for_the_rest_of_an_answer():
    clock, sent = Clock(), []
    budgets = Budgets(1000, 50, clock)

    async def send(message):
        sent.append(message)

    async def inner(scope, receive, send):
        for _ in range(2):
            await send({"type": "http.response.body", "body": b"x" * 2**21})

    sending = asyncio.create_task(
        budgeted(inner, budgets, Places(10))(scope("/api/v1/runs/a"), None, send)
    )
    await asyncio.sleep(0.01)
    assert len(sent) == 1
    clock.now = 1.0
    await asyncio.wait_for(sending, 5)
    assert len(sent) == 2


async def test_so_many_requests_of_an_address_are_answered_at_a_time():
    reading = asyncio.Event()

    async def inner(scope, receive, send):
        await reading.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    application = budgeted(inner, Budgets(1000, 1000), Places(2))
    slow = [asyncio.create_task(asked(application, scope("/api/v1/runs/a"))) for _ in range(2)]
    await asyncio.sleep(0)
    start, _ = await asked(application, scope("/api/v1/runs/a"))
    assert start["status"] == 429 and (b"retry-after", b"5") in start["headers"]
    reading.set()
    for each in slow:
        assert (await each)[0]["status"] == 200
    assert (await asked(application, scope("/api/v1/runs/a")))[0]["status"] == 200


async def test_over_a_socket_nothing_more_is_taken_while_much_is_owed():
    taken = []

    async def asks_for_much(scope, receive, send):
        while True:
            taken.append(await receive())
            scope["purse"].spent(1000)

    async def receive():
        return {"type": "websocket.receive", "bytes": b"x"}

    guard = guarded(asks_for_much, Budgets(10, 100, Clock()), Places(1))
    opened = {**scope(host="testserver"), "type": "websocket"}
    task = asyncio.create_task(guard(opened, receive, None))
    await asyncio.sleep(0.1)
    task.cancel()
    assert len(taken) == 1
