/** Waiting, on a clock that tests hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnsweredQuestion, NotFoundError, RateLimitError, ServerError } from "ask-a-human";
import { type WaitOptions, untilOver } from "../src/waiting.js";

function question(status: AnsweredQuestion["status"], current_responses: number): AnsweredQuestion {
  return { status, current_responses } as AnsweredQuestion;
}

const OPEN = question("OPEN", 0);

type Event = { comes: number; what: AnsweredQuestion };

/** A service in which these things come at these times, and what was asked of it: when, and how long it was to wait. */
function service(events: Event[], failing: (time: number) => Error | undefined = () => undefined, gateway = Infinity) {
  let time = 0;
  const looks: [number, number][] = [];
  const at = (moment: number) => events.findLast(({ comes }) => comes <= moment)?.what ?? OPEN;
  const clock = {
    now: () => time,
    pause: async (seconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      assert.ok(seconds > 0);
      time += seconds;
    },
  };
  const read = async (wait: number) => {
    looks.push([time, wait]);
    const failure = failing(time);
    if (failure !== undefined) {
      throw failure;
    }
    if (wait >= gateway) {
      // Each is sent four times.
      time += 4 * gateway;
      throw new ServerError("the gateway has waited long enough");
    }
    const over = at(time).status === "CLOSED";
    const next = events.find(({ comes }) => comes > time && comes <= time + wait);
    time = over ? time : (next?.comes ?? time + wait);
    return at(time);
  };
  return {
    looks,
    wait: (options: WaitOptions) => untilOver(OPEN, read, clock, options),
    waitFromNothing: (options: WaitOptions) => untilOver(undefined, read, clock, options),
    time: () => time,
  };
}

test("looks are further and further apart, and each waits in the service", async () => {
  const { looks, wait } = service([{ comes: 2000, what: question("CLOSED", 1) }]);
  assert.equal((await wait({})).status, "CLOSED");
  // 30, 45, 67.5 … 300 seconds from one to the next, of which the last 30 are waited for in the service.
  const expected = [0, 45, 112.5, 213.75, 365.625, 593.4375, 893.4375, 1193.4375, 1493.4375, 1793.4375];
  assert.deepEqual(looks.map(([time]) => time).slice(0, 10), expected);
  assert.ok(looks.every(([, held]) => held === 30));
});

test("what comes while a look waits is seen at once, and the next looks are close again", async () => {
  const events = [
    { comes: 120, what: question("PARTIAL", 1) },
    { comes: 125, what: question("PARTIAL", 2) },
    { comes: 130, what: question("CLOSED", 3) },
  ];
  const { looks, wait, time } = service(events);
  assert.equal((await wait({})).current_responses, 3);
  assert.equal(time(), 130);
  assert.deepEqual(looks.slice(-3), [[112.5, 30], [120, 30], [125, 30]]);
});

test("after the timeout the question is given as it is then", async () => {
  for (const timeout of [0.5, 10, 31, 100.25, 400]) {
    const { looks, wait, time } = service([{ comes: timeout - 0.25, what: question("PARTIAL", 1) }]);
    assert.equal((await wait({ timeout })).status, "PARTIAL", `${timeout}`);
    assert.equal(time(), timeout);
    assert.ok(looks.length <= 7, `${looks}`);
  }
});

test("without long polls every look is a short one", async () => {
  const { looks, wait } = service([{ comes: 100, what: question("CLOSED", 1) }]);
  await wait({ longPoll: false, interval: 10, factor: 2, longest: 40 });
  assert.deepEqual(looks, [[10, 0], [30, 0], [70, 0], [110, 0]]);
});

test("a service that is away for a while is waited for, and one that stays away is told", async () => {
  const away = (until: number) => (time: number) => (time < until ? new ServerError("away") : undefined);
  const closes = [{ comes: 50, what: question("CLOSED", 1) }];
  assert.equal((await service(closes, away(200)).wait({})).status, "CLOSED");
  await assert.rejects(service(closes, away(Infinity)).wait({}), ServerError);
  assert.equal(await service(closes, away(Infinity)).wait({ timeout: 60 }), OPEN);
});

test("who is less patient than a look ends nothing", async () => {
  const { looks, wait, time } = service([{ comes: 7000, what: question("CLOSED", 1) }], undefined, 29);
  assert.equal(await wait({ timeout: 3600 }), OPEN);
  assert.equal(time(), 3600);
  assert.deepEqual(looks.map(([, held]) => held).filter((held) => held >= 29), [30]);
  assert.ok(looks.some(([, held]) => held === 15));
});

test("a limit is respected, and what is wrong for good is told at once", async () => {
  const limited = (time: number) => (time < 500 ? new RateLimitError("too often", 500) : undefined);
  const { looks, wait } = service([{ comes: 50, what: question("CLOSED", 1) }], limited);
  assert.equal((await wait({})).status, "CLOSED");
  assert.deepEqual(looks.map(([time]) => time), [0, 500]);
  await assert.rejects(service([], () => new NotFoundError("gone")).wait({}), NotFoundError);
});

test("the first look is one as any other, if there is time", async () => {
  const limited = (time: number) => (time < 500 ? new RateLimitError("too often", 500) : undefined);
  const away = (time: number) => (time < 100 ? new ServerError("away") : undefined);
  const closes = [{ comes: 50, what: question("CLOSED", 1) }];
  const { looks, waitFromNothing } = service(closes, limited);
  assert.equal((await waitFromNothing({})).status, "CLOSED");
  assert.deepEqual(looks.map(([time]) => time), [0, 500]);
  assert.equal((await service(closes, away).waitFromNothing({})).status, "CLOSED");
  // Where there is none, nobody is kept waiting for what cannot come.
  for (const [failing, error] of [[limited, RateLimitError], [away, ServerError]] as const) {
    const { looks, waitFromNothing, time } = service(closes, failing);
    await assert.rejects(waitFromNothing({ timeout: 20 }), error);
    assert.equal(time(), 0);
    assert.deepEqual(looks, [[0, 0]]);
  }
  await assert.rejects(service([], () => new NotFoundError("gone")).waitFromNothing({}), NotFoundError);
});

test("a signal ends it", async () => {
  const { wait } = service([]);
  await assert.rejects(wait({ signal: AbortSignal.abort(new Error("enough")) }), /enough/);
});
