import { AskError, AuthenticationError, ServerError, errorOf } from "./errors.js";
import type { AnsweredQuestion, Asked, NewQuestion, Question, QuestionPage, Status } from "./types.js";
import { type Clock, type WaitOptions, untilOver } from "./waiting.js";

/** Where the service is, and who asks. */
export interface AskOptions {
  /** Where the service is; the variable `ASK_A_HUMAN_BASE_URL`, or `http://127.0.0.1:8083`, unless said. */
  baseUrl?: string;
  /** The key of the agent, `aah_…`; the variable `ASK_A_HUMAN_KEY` unless said. */
  key?: string;
  /** How often a request that got no answer, or one that says the service failed, is sent again; 3 times unless said. */
  retries?: number;
  /** What sends requests; the `fetch` there is unless said. */
  fetch?: typeof fetch;
  /** What time it is; for tests. */
  clock?: Clock;
}

/** Of a request. */
export interface RequestOptions {
  /** Ends it: it rejects with the reason of the signal. */
  signal?: AbortSignal;
}

interface Sent extends RequestOptions {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** For how many seconds the service may hold the request. */
  wait?: number;
  /** When, by the clock, there is no more time to try again. */
  deadline?: number;
}

/** For how many seconds an answer is waited for, besides what was asked for. */
const PATIENCE = 15;

/** For how many seconds past a deadline an answer may still be on its way. */
const GRACE = 3;

/** An agent that asks people. */
export class AskClient {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #retries: number;
  readonly #fetch: typeof fetch;
  readonly #clock: Clock;

  constructor(options: AskOptions = {}) {
    this.#baseUrl = (options.baseUrl ?? variable("ASK_A_HUMAN_BASE_URL") ?? "http://127.0.0.1:8083").replace(/\/+$/, "");
    const key = options.key ?? variable("ASK_A_HUMAN_KEY");
    if (key === undefined) {
      throw new AuthenticationError("there is no key of an agent: give `key`, or set ASK_A_HUMAN_KEY");
    }
    this.#key = key;
    this.#retries = options.retries ?? 3;
    this.#fetch = options.fetch ?? fetch;
    this.#clock = options.clock ?? { now: () => performance.now() / 1000, pause };
  }

  /**
   * Asks people. It goes along with an idempotency key, so that it is asked once however often it had to be sent. Give a key of your own to be
   * able to ask again after your program has ended.
   */
  async submitQuestion(question: NewQuestion, options: RequestOptions & { idempotencyKey?: string } = {}): Promise<Asked> {
    return this.#submit(question, options);
  }

  /** A question with the answers it has. With `wait` it comes when something is new, and after so many seconds (1 to 30) at the latest. */
  async getQuestion(questionId: string, options: RequestOptions & { wait?: number } = {}): Promise<AnsweredQuestion> {
    return this.#look(questionId, options);
  }

  /** A page of the agent's questions, the newest first. */
  async listQuestions(
    options: RequestOptions & { status?: Status; limit?: number; cursor?: string } = {},
  ): Promise<QuestionPage> {
    const { signal, ...given } = options;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) {
        query.set(name, String(value));
      }
    }
    return this.#send(`/agent/questions?${query}`, signal ? { signal } : {});
  }

  /** All of the agent's questions, the newest first, page by page as they are needed. */
  async *allQuestions(options: RequestOptions & { status?: Status } = {}): AsyncGenerator<Question, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: QuestionPage = await this.listQuestions({ ...options, limit: 100, ...(cursor ? { cursor } : {}) });
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor);
  }

  /**
   * The question when it is over, or as it is after `timeout`, with the answers it has by then. An answer that is on its way has 3 seconds more. What goes
   * wrong for good, or for longer than there is time when nothing was seen yet, is an `AskError` with the `questionId`.
   */
  async awaitResponses(questionId: string, options: WaitOptions = {}): Promise<AnsweredQuestion> {
    const signal = options.signal ? { signal: options.signal } : {};
    const deadline = this.#clock.now() + (options.timeout ?? Infinity);
    const read = (wait: number) => this.#look(questionId, { ...signal, wait, deadline });
    try {
      return await untilOver(undefined, read, this.#clock, options);
    } catch (error) {
      if (error instanceof AskError) {
        error.questionId = questionId;
      }
      throw error;
    }
  }

  /** Asks, and waits: `submitQuestion` and `awaitResponses`, within `timeout` together. An error that has a `questionId` came after it was asked. */
  async submitAndWait(
    question: NewQuestion,
    options: WaitOptions & { idempotencyKey?: string } = {},
  ): Promise<AnsweredQuestion> {
    const { signal, idempotencyKey, timeout = Infinity } = options;
    const deadline = this.#clock.now() + timeout;
    const asked = await this.#submit(question, {
      deadline,
      ...(signal ? { signal } : {}),
      ...(idempotencyKey ? { idempotencyKey } : {}),
    });
    return this.awaitResponses(asked.question_id, { ...options, timeout: Math.max(0, deadline - this.#clock.now()) });
  }

  async #submit(question: NewQuestion, options: Sent & { idempotencyKey?: string }): Promise<Asked> {
    const { idempotencyKey = crypto.randomUUID(), ...rest } = options;
    const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
    return this.#send("/agent/questions", { ...rest, method: "POST", headers, body: JSON.stringify(question) });
  }

  async #look(questionId: string, sent: Sent): Promise<AnsweredQuestion> {
    const wait = sent.wait ? `?wait=${sent.wait}` : "";
    return this.#send(`/agent/questions/${encodeURIComponent(questionId)}${wait}`, sent);
  }

  /** Sends it until there is an answer that is not the service's failure, or the deadline has come. */
  async #send<T>(path: string, sent: Sent): Promise<T> {
    for (let tried = 0; ; tried += 1) {
      try {
        return await this.#sendOnce<T>(path, sent);
      } catch (error) {
        const pause = 0.5 * 2 ** tried;
        const isLast = tried >= this.#retries || this.#clock.now() + pause >= (sent.deadline ?? Infinity);
        if (!(error instanceof ServerError) || isLast) {
          throw error;
        }
        await this.#clock.pause(pause, sent.signal);
      }
    }
  }

  async #sendOnce<T>(path: string, { method = "GET", headers = {}, body, wait = 0, signal, deadline = Infinity }: Sent): Promise<T> {
    const left = Math.max(0, deadline - this.#clock.now());
    const patience = AbortSignal.timeout(Math.ceil(Math.min(wait + PATIENCE, left + GRACE) * 1000));
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(this.#baseUrl + path, {
        method,
        headers: { ...headers, accept: "application/json", authorization: `Bearer ${this.#key}` },
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
        redirect: "error",
        ...(body === undefined ? {} : { body }),
      });
      if (!response.ok) {
        throw await errorOf(response);
      }
      text = await response.text();
    } catch (error) {
      if (error instanceof AskError) {
        throw error;
      }
      signal?.throwIfAborted();
      throw new ServerError(`${this.#baseUrl} does not answer: ${reason(error)}`, undefined, undefined, { cause: error });
    }
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw new ServerError(`what ${this.#baseUrl} answers is not JSON`, response.status, undefined, { cause: error });
    }
  }
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** Not everything that has `fetch` has variables. */
function variable(name: string): string | undefined {
  return globalThis.process?.env[name] || undefined;
}

function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, seconds * 1000);
    const ended = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", ended, { once: true });
  });
}
