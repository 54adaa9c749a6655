"""A mail server on loopback that does what it is told, and says on standard output what it took.

Told on standard input, a line each:
  ok                     take everything
  later N                refuse the next N recipients for now (451)
  never ADDRESS          refuse this recipient for good (550)
  full ADDRESS           refuse this recipient for now (452)
  room ADDRESS           take mails to this recipient again
  trouble ADDRESS        say that the server has trouble of its own (451 4.3.0) when it hears of this recipient
  hangup ADDRESS         close the connection when it hears of this recipient
  mute ADDRESS           say nothing when it hears of this recipient, until `ok`
  silent ADDRESS         say nothing after having got a mail to this recipient, until `ok`; then take it
  unwanted ADDRESS       refuse mails to this recipient for now, after having got them (451)
  unwelcome N            take the next N mails and refuse them for what they are from (554)
  spam ADDRESS           refuse mails to this recipient for what they are (550 5.7.1)
  drop N                 close the connection of the next N mails before the answer, without taking them
  deaf N                 take the next N mails and close the connection without saying so
  slow SECONDS           wait before each answer to a mail
  slow-once SECONDS      wait before the answer to the next mail
"""

import asyncio
import email
import email.policy
import json
import sys

from aiosmtpd.smtp import SMTP


class Orders:
    def __init__(self):
        self.later = 0
        self.never = set()
        self.drop = 0
        self.deaf = 0
        self.full = set()
        self.trouble = set()
        self.hangup = set()
        self.mute = set()
        self.silent = set()
        self.speaks = asyncio.Event()
        self.unwanted = set()
        self.spam = set()
        self.unwelcome = 0
        self.slow = 0.0
        self.slow_once = 0.0
        self.boxes = {}

    def told(self, line):
        word, _, rest = line.strip().partition(" ")
        match word:
            case "ok":
                self.later, self.drop, self.deaf, self.slow, self.unwelcome = 0, 0, 0, 0.0, 0
                self.spam.clear()
                self.never.clear()
                self.full.clear()
                self.trouble.clear()
                self.hangup.clear()
                self.mute.clear()
                self.silent.clear()
                self.speaks.set()
                self.speaks = asyncio.Event()
                self.unwanted.clear()
            case "later":
                self.later = int(rest)
            case "never":
                self.never.add(rest)
            case "full":
                self.full.add(rest)
            case "room":
                self.full.discard(rest)
            case "trouble":
                self.trouble.add(rest)
            case "hangup":
                self.hangup.add(rest)
            case "mute":
                self.mute.add(rest)
            case "silent":
                self.silent.add(rest)
            case "unwanted":
                self.unwanted.add(rest)
            case "unwelcome":
                self.unwelcome = int(rest)
            case "spam":
                self.spam.add(rest)
            case "drop":
                self.drop = int(rest)
            case "deaf":
                self.deaf = int(rest)
            case "slow":
                self.slow = float(rest)
            case "slow-once":
                self.slow_once = float(rest)
        say(done=line.strip())

    # What aiosmtpd calls.

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.never:
            say(refused=address)
            return "550 5.1.1 no such mailbox"
        if address in self.full:
            say(refused=address)
            return "452 4.2.2 mailbox full"
        if address in self.trouble:
            say(refused=address)
            return "451 4.3.0 temporary lookup failure"
        if address in self.hangup:
            say(refused=address)
            server.transport.abort()
            return "421 gone"
        if address in self.mute:
            say(silent=address)
            await self.speaks.wait()
        if self.later > 0:
            self.later -= 1
            return "451 4.7.1 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        slow, self.slow_once = self.slow + self.slow_once, 0.0
        if slow:
            await asyncio.sleep(slow)
        if any(address in self.silent for address in envelope.rcpt_tos):
            say(silent=envelope.rcpt_tos[0])
            await self.speaks.wait()
        if any(address in self.unwanted for address in envelope.rcpt_tos):
            say(refused=envelope.rcpt_tos[0])
            return "451 4.7.1 not now"
        if self.unwelcome > 0:
            self.unwelcome -= 1
            say(refused=envelope.rcpt_tos[0])
            return "554 Message rejected: Email address is not verified."
        if any(address in self.spam for address in envelope.rcpt_tos):
            say(refused=envelope.rcpt_tos[0])
            return "550 5.7.1 looks like spam"
        if self.drop > 0:
            self.drop -= 1
            server.transport.abort()
            return "421 gone"
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        for address in envelope.rcpt_tos:
            # As mailboxes do it: the same mail once, by its Message-ID.
            box = self.boxes.setdefault(address, set())
            again = message["Message-ID"] in box
            box.add(message["Message-ID"])
            say(
                to=address,
                sender=envelope.mail_from,
                id=message["Message-ID"],
                references=message["References"],
                subject=message["Subject"],
                text=message.get_body(("plain",)).get_content(),
                html=message.get_body(("html",)).get_content(),
                again=again,
            )
        if self.deaf > 0:
            self.deaf -= 1
            server.transport.abort()
        return "250 OK"


def say(**what):
    print(json.dumps(what), flush=True)


async def main():
    orders = Orders()
    loop = asyncio.get_running_loop()
    port = int(sys.argv[1])
    server = await loop.create_server(lambda: SMTP(orders, hostname="localhost"), "127.0.0.1", port)
    say(port=server.sockets[0].getsockname()[1])
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        orders.told(line.decode())


asyncio.run(main())
