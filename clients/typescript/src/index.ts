/**
 * A client of Ask-a-Human: software puts questions to people, and waits for their answers.
 *
 * @module
 */
export { AskClient, type AskOptions, type RequestOptions } from "./client.js";
export {
  AskError,
  AuthenticationError,
  NotFoundError,
  QuotaError,
  RateLimitError,
  ServerError,
  ValidationError,
} from "./errors.js";
export {
  type AnsweredQuestion,
  type Answer,
  type Asked,
  type NewQuestion,
  type Problem,
  type Question,
  type QuestionPage,
  type Status,
  acceptedAnswers,
  isOver,
} from "./types.js";
export type { Clock, WaitOptions } from "./waiting.js";
