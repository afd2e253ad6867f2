"""The native protocol against a scripted server, and finding out whether a server speaks it (DESIGN, section 6)."""

import json
import time

from harness.registry import scenario
from harness.world import expect, expect_equal

WELCOME = {"type": "welcome", "userId": "guest-1", "userName": "Guest", "serverTime": "", "durable": True,
           "limits": {"maxMessage": 1048576, "window": 64}}


class Talk:
    """A native server's side of a link: greets, and lets every room be joined."""

    def __init__(self, link, seq=0, epoch="e"):
        self.link, self.seq, self.epoch = link, seq, epoch
        link.accept()
        self.say(WELCOME)

    def say(self, value):
        self.link.send_text(json.dumps(value))

    def hear(self, seconds=10):
        """The client's next frame; joins are answered on the way."""
        while True:
            value = json.loads(self.link.message(seconds).text)
            if value.get("type") != "join":
                return value
            self.say({"type": "joined", "conversationId": value["conversationId"], "epoch": self.epoch,
                      "seq": self.seq, "oldest": 1, "users": []})

    def acknowledge(self, message):
        self.seq += 1
        self.say({"type": "ack", "messageId": message["id"], "conversationId": message["conversationId"],
                  "seq": self.seq, "timestamp": "2026-11-30T20:15:00.123Z"})


def told(program, type, **fields):
    """A wsii record on standard output."""
    def found(lines):
        for line in lines.lines:
            value = json.loads(line)
            if value["type"] == type and all(value.get(k) == v for k, v in fields.items()):
                return value
        return None

    return program.out.wait(found, 10, f"{type} {fields} on stdout")


@scenario()
def message_survives_a_link(t):
    """A message that lost its link before the ack goes out again with the same bytes, as the same user."""
    def script(link):
        talk = Talk(link)
        message = talk.hear()
        link.got = message
        if link.number == 0 or len(server.links) == 1:
            return
        talk.acknowledge(message)
        link.serve()

    server = t.serve(script)
    program = t.run(server.url, "--dialect", "auto", "--room", "ops", "--backoff", "10ms..20ms")
    program.send('{"text":"hi"}')
    delivered = told(program, "wsii.delivered", conversationId="ops", seq=1)
    accepted = told(program, "wsii.accepted", line=1, durable=False)
    first, second = server.links[0], server.links[1]
    expect_equal(first.got, second.got, "the second try")
    expect_equal(delivered["messageId"], accepted["messageId"], "the id")
    expect_equal(first.got["id"], accepted["messageId"], "the id on the wire")
    expect_equal({k: first.got[k] for k in ("type", "conversationId", "text", "senderId", "senderName")},
                 {"type": "text", "conversationId": "ops", "text": "hi", "senderId": "guest-1", "senderName": "Guest"},
                 "the completed message")
    expect("userId" not in first.resource, "nobody was known at the first handshake")
    expect("userId=guest-1" in second.resource, f"somebody else came back: {second.resource}")
    program.end_input()
    program.expect_exit(0)


@scenario()
def missing_is_fetched_or_told(t):
    """A hole in the numbers is fetched; what the history lacks is one gap with exact bounds."""
    def message(seq):
        return {"type": "text", "id": f"m{seq}", "conversationId": "ops", "senderId": "ada", "text": str(seq), "seq": seq}

    def script(link):
        talk = Talk(link, seq=41)
        asked = talk_until(talk, "history", lambda: talk.say(message(45)))
        expect_equal(asked["after"], 41, "the request")
        talk.say({"type": "history", "conversationId": "ops", "messages": [message(44), message(45)], "more": False})
        talk.say(message(46))
        link.acks = []
        while not link.acks or link.acks[-1]["seq"] < 46:
            link.acks.append(talk_until(talk, "ack"))
        link.serve()

    def talk_until(talk, type, first=None):
        value = json.loads(talk.link.message().text)
        if value["type"] == "join":
            talk.say({"type": "joined", "conversationId": "ops", "epoch": "e", "seq": 41, "oldest": 1, "users": []})
            if first:
                first()
            value = json.loads(talk.link.message().text)
        expect_equal(value["type"], type, "what the client says")
        return value

    server = t.serve(script)
    program = t.run(server.url, "--dialect", "native", "--room", "ops", "--count", "3")
    told(program, "text", seq=46)
    lines = [json.loads(l) for l in program.out.lines]
    shape = [l.get("seq") or (l.get("after"), l.get("before")) for l in lines if l["type"] in ("text", "wsii.gap")]
    expect_equal(shape, [(41, 44), 44, 45, 46], "the order on stdout")
    program.expect_exit(0)


@scenario()
def refused_for_good_is_65(t):
    """A message that the server refuses for good is told, and the run fails; one refused for now is delivered."""
    def script(link):
        talk = Talk(link)
        message = talk.hear()
        talk.say({"type": "nack", "messageId": message["id"], "conversationId": "ops", "code": "forbidden", "reason": "no"})
        message = talk.hear()
        talk.say({"type": "nack", "messageId": message["id"], "conversationId": "ops", "code": "rate_limited",
                  "retryAfterMs": 100})
        begin = time.monotonic()
        again = talk.hear()
        link.waited = time.monotonic() - begin
        expect_equal(again, message, "the second try")
        talk.acknowledge(again)
        link.serve()

    server = t.serve(script)
    program = t.run(server.url, "--dialect", "native", "--room", "ops")
    program.send('{"id":"a","text":"1"}')
    expect_equal(told(program, "wsii.failed", messageId="a")["reason"], "forbidden: no", "the reason")
    program.send('{"id":"b","text":"2"}')
    told(program, "wsii.delivered", messageId="b")
    expect(server.links[0].waited >= 0.095, f"tried again after {server.links[0].waited:.3f} s")
    program.end_input()
    program.expect_exit(65)


@scenario()
def silence_is_plain(t):
    """A server that says nothing for two seconds gets lines as they are, and stderr says so once."""
    server = t.serve(lambda link: setattr(link, "got", link.accept().message()) or link.serve())
    begin = time.monotonic()
    program = t.run(server.url, "--dialect", "auto")
    program.send('{"type":"typing"}')
    program.wait_err("dialect plain")
    waited = time.monotonic() - begin
    expect(1.9 < waited < 4, f"decided after {waited:.2f} s")
    program.record("wsii.delivered")
    expect_equal(server.links[0].got.text, '{"type":"typing"}', "the line")


@scenario()
def who_we_are(t):
    """The user stands in the query without a token, and only the token's header with one."""
    def script(link):
        Talk(link)
        link.serve()

    server = t.serve(script)
    program = t.run(server.url + "?x=1", "--dialect", "native", "--user-id", "a b", "--user-name", "Ä")
    told(program, "wsii.state", state="online")
    expect(server.links[0].resource.endswith("?x=1&userId=a%20b&userName=%C3%84"), server.links[0].resource)
    program.stop()
    program = t.run(server.url, "--dialect", "native", "--token-file", t.file("token", "secret\n"))
    told(program, "wsii.state", state="online")
    expect_equal(server.links[1].fields.get("authorization"), "Bearer secret", "the header")
    expect("userId" not in server.links[1].resource, server.links[1].resource)
