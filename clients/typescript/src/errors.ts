import type { Problem } from "./types.js";

/** What went wrong. Each kind has a class of its own. */
export class AskError extends Error {
  /** The status of the answer; nothing when there was none. */
  readonly status: number | undefined;
  /** What the service says about it. */
  readonly problem: Problem | undefined;
  /** The question that was waited for: it was asked, and can be waited for again. */
  questionId: string | undefined;

  constructor(message: string, status?: number, problem?: Problem, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.status = status;
    this.problem = problem;
  }
}

/** A value is not allowed; `problem.errors` names each field and the reason. Nothing was asked. */
export class ValidationError extends AskError {}

/** The key of the agent is missing, not known or revoked, or may not do this. */
export class AuthenticationError extends AskError {}

/** There is no such question, or it is another agent's. */
export class NotFoundError extends AskError {}

/** The agent has as many open questions as it may have. Nothing was asked. */
export class QuotaError extends AskError {}

/** The agent asks or reads too often. */
export class RateLimitError extends AskError {
  /** In how many seconds to try again. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number, status?: number, problem?: Problem) {
    super(message, status, problem);
    this.retryAfter = retryAfter;
  }
}

/** The service failed, is away, or is none, or too many asked at once. It was tried again, and may be later. */
export class ServerError extends AskError {}

/** The error an answer stands for. */
export async function errorOf(response: Response): Promise<AskError> {
  const problem = await problemOf(response);
  const status = response.status;
  const message = problem === undefined ? `the service answered with status ${status}` : inWords(problem);
  switch (status) {
    case 400:
    case 413:
    case 414:
    case 415:
    case 422:
    case 431:
      return new ValidationError(message, status, problem);
    case 401:
      return new AuthenticationError(message, status, problem);
    case 403: {
      const Refused = problem?.type === "/problems/quota-exceeded" ? QuotaError : AuthenticationError;
      return new Refused(message, status, problem);
    }
    case 404:
      return new NotFoundError(message, status, problem);
    case 409: {
      const Met = problem?.type === "/problems/conflict" ? ServerError : AskError;
      return new Met(message, status, problem);
    }
    case 429:
      return new RateLimitError(message, Number(response.headers.get("retry-after") ?? 60) || 60, status, problem);
    default: {
      const Failed = status >= 500 || status === 408 ? ServerError : AskError;
      return new Failed(message, status, problem);
    }
  }
}

async function problemOf(response: Response): Promise<Problem | undefined> {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  const text = await response.text().catch(() => "");
  try {
    return isProblem ? (JSON.parse(text) as Problem) : undefined;
  } catch {
    return undefined;
  }
}

function inWords(problem: Problem): string {
  const faults = (problem.errors ?? []).map(({ field, reason }) => `${field}: ${reason}`);
  return [problem.title, problem.detail, ...faults].filter((part) => part != null).join("; ");
}
