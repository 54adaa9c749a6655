import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];

/** What an agent wants to know. */
export type NewQuestion = Schemas["NewQuestion"];

/** A question that was asked just now. */
export type Asked = Schemas["Asked"];

/** A question, without its answers. */
export type Question = Schemas["QuestionView"];

/** A question with its answers. */
export type AnsweredQuestion = Schemas["AnsweredQuestion"];

/** What somebody answered. */
export type Answer = Schemas["ResponseView"];

/** How far a question is. */
export type Status = Schemas["QuestionStatus"];

/** What the service says is wrong. */
export type Problem = Schemas["Problem"];

/** A page of an agent's questions. */
export type QuestionPage = operations["list_questions"]["responses"]["200"]["content"]["application/json"];

/** Whether no more answers come. */
export function isOver(question: { readonly status: Status }): boolean {
  return question.status === "CLOSED" || question.status === "EXPIRED";
}

/** The answers to a question, without those an admin has rejected. */
export function acceptedAnswers(question: AnsweredQuestion): Answer[] {
  return question.responses.filter(({ review }) => review !== "rejected" && review !== "banned");
}
