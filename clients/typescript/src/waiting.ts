import { RateLimitError, ServerError } from "./errors.js";
import { type AnsweredQuestion, isOver } from "./types.js";

/** How to wait. All times are in seconds. */
export interface WaitOptions {
  /** How long at most. The question as it is then is given; until it is over unless said. */
  timeout?: number;
  /** Ends the waiting: it rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** How long from the beginning of one look to that of the next, at first and after something new has come; 30 unless said. */
  interval?: number;
  /** By how much that grows as long as nothing comes; 1.5 unless said. */
  factor?: number;
  /** How long it gets; 300 unless said. */
  longest?: number;
  /** Whether a look waits in the service, up to 30 seconds, so that what comes meanwhile is seen at once; unless `false` is said. */
  longPoll?: boolean;
}

/** What time it is and how to let it pass, in seconds. */
export interface Clock {
  now(): number;
  pause(seconds: number, signal?: AbortSignal): Promise<void>;
}

/** For how long the service holds a request at most. */
const LONG_POLL = 30;

/** So many looks in a row may fail. */
const FAILURES = 5;

/**
 * The question when it is over, or as it is after `timeout`. Nothing need be known of it before. Each round is a pause and a look, which may wait in the service: together they take
 * as long as the back-off says, and the first has no pause. A look that failed may have waited for longer than somebody between here and the service does: those after it wait half as
 * long.
 */
export async function untilOver(
  start: AnsweredQuestion | undefined,
  read: (wait: number) => Promise<AnsweredQuestion>,
  clock: Clock,
  { timeout = Infinity, signal, interval = 30, factor = 1.5, longest = 300, longPoll = true }: WaitOptions = {},
): Promise<AnsweredQuestion> {
  const deadline = clock.now() + timeout;
  const left = () => Math.max(0, deadline - clock.now());
  let known = start ?? (await firstLook(read, clock, left, { signal, interval, factor, longest }));
  let [delay, failures, atLeast, hold] = [interval, 0, 0, longPoll ? LONG_POLL : 0];
  while (!isOver(known) && left() > 0) {
    const round = Math.min(delay, left());
    const held = Math.floor(Math.min(hold, round));
    const pause = Math.max(round - held, Math.min(atLeast, left()));
    if (pause > 0) {
      await clock.pause(pause, signal);
    }
    delay = Math.min(delay * factor, longest);
    try {
      const found = await read(Math.min(held, Math.floor(left())));
      if (found.current_responses !== known.current_responses || found.status !== known.status) {
        delay = interval;
      }
      [known, failures, atLeast] = [found, 0, 0];
    } catch (error) {
      failures += 1;
      atLeast = patienceFor(error, failures, delay);
      if (error instanceof ServerError) {
        hold = Math.min(hold, Math.floor(held / 2));
      }
    }
  }
  return known;
}

/** The question as it is. What passes while there is time is waited for; else there is nothing to give, and the error is thrown. */
async function firstLook(
  read: (wait: number) => Promise<AnsweredQuestion>,
  clock: Clock,
  left: () => number,
  { signal, interval, factor, longest }: { signal: AbortSignal | undefined; interval: number; factor: number; longest: number },
): Promise<AnsweredQuestion> {
  let delay = interval;
  for (let failures = 1; ; failures += 1) {
    try {
      return await read(0);
    } catch (error) {
      const pause = patienceFor(error, failures, delay);
      if (pause >= left()) {
        throw error;
      }
      await clock.pause(pause, signal);
      delay = Math.min(delay * factor, longest);
    }
  }
}

/** For how many seconds to leave the service alone after a failure; what does not pass is thrown. */
function patienceFor(error: unknown, failures: number, delay: number): number {
  if (error instanceof RateLimitError) {
    return error.retryAfter;
  }
  if (error instanceof ServerError && failures <= FAILURES) {
    return delay;
  }
  throw error;
}
