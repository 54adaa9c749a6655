import type * as Ask from "../ask.js";

const question: Ask.Question = {
  question_id: "6f1c2d3e-4b5a-4c7d-8e9f-0a1b2c3d4e5f",
  status: "OPEN",
  prompt: "Would you cross this bridge?",
  type: "text",
  audience: ["general"],
  required_responses: 5,
  current_responses: 0,
  responses_needed: 5,
  agent_id: "agent-7",
  place: "taken",
  created_at: "2024-01-31T10:00:00.000Z",
  expires_at: 1706781600,
  catch_up_at: 1706696100,
  purge_at: 1706868000,
};

const choice: Ask.Question = {
  ...question,
  status: "CLOSED",
  type: "multiple_choice",
  options: ["Yes", "No", "On foot"],
  audience: ["technical", "ethics"],
  idempotency_key: "bridge-1",
  closed_at: "2024-01-31T11:00:00.000Z",
};

const response: Ask.Response = {
  question_id: question.question_id,
  fingerprint_hash: "9f86d081",
  response_id: "0b1c2d3e-4b5a-4c7d-8e9f-0a1b2c3d4e5f",
  answer: "Not with a lorry.",
  points_earned: 10,
  created_at: "2024-01-31T10:30:00.000Z",
  purge_at: 1709287200,
};

const subscription: Ask.Subscription = {
  subscription_id: "1c2d3e4f-4b5a-4c7d-8e9f-0a1b2c3d4e5f",
  fingerprint_hash: response.fingerprint_hash,
  fcm_token: "token",
  min_interval_minutes: 30,
  next_eligible_at: "2024-01-31T10:00:00.000Z",
  created_at: "2024-01-31T10:00:00.000Z",
  updated_at: "2024-01-31T10:00:00.000Z",
  active: true,
};

const stats: Ask.UserStats = {
  fingerprint_hash: response.fingerprint_hash,
  total_points: 10,
  total_answers: 1,
  daily_points: 10,
  daily_answers: 1,
  points_date: "2024-01-31",
  weekly_points: 10,
  weekly_answers: 1,
  points_week: "2024-01-29",
  streak_days: 1,
  streak_last_date: "2024-01-31",
  time_zone: "Europe/Berlin",
  badges: { first_answer: "2024-01-31T10:30:00.000Z" },
  answers_by_category: { general: 1 },
  early_answers: 0,
  night_answers: 0,
  fast_answers: 1,
  confident_answers: 0,
  created_at: "2024-01-31T10:30:00.000Z",
  updated_at: "2024-01-31T10:30:00.000Z",
};

const notice: Ask.Notice = {
  question_id: question.question_id,
  fingerprint_hash: response.fingerprint_hash,
  subscription_id: subscription.subscription_id,
  round: 0,
  notified_at: "2024-01-31T10:00:01.000Z",
  purge_at: 1706868000,
};

const outreach: Ask.Outreach = {
  question_id: question.question_id,
  round: 0,
  wanted: 15,
  told: 1,
  purge_at: notice.purge_at,
};

const agent: Ask.Agent = {
  agent_id: question.agent_id,
  name: "The seventh",
  questions_per_hour: 60,
  open_questions: 100,
  polls_per_hour: 600,
  created_at: "2024-01-31T09:00:00.000Z",
  updated_at: "2024-01-31T09:00:00.000Z",
  places_taken: 2,
};

const key: Ask.ApiKey = {
  key_hash: "5e884898",
  agent_id: question.agent_id,
  label: "The first",
  active: false,
  created_at: "2024-01-31T09:00:00.000Z",
  revoked_at: "2024-01-31T12:00:00.000Z",
};

export const ask = {
  Question: [question, choice] satisfies Ask.Question[],
  Response: [
    response,
    {
      ...response,
      selected_option: 2,
      confidence: 5,
      response_time_ms: 900,
      flag_reason: "too_fast",
      review: "pending",
    },
  ] satisfies Ask.Response[],
  Subscription: [
    subscription,
    { ...subscription, active: false, last_notified_at: "2024-01-31T10:00:00.000Z" },
  ] satisfies Ask.Subscription[],
  UserStats: [stats, { ...stats, badges: {}, banned_at: "2024-02-01T10:00:00.000Z" }] satisfies Ask.UserStats[],
  Notice: [notice] satisfies Ask.Notice[],
  Outreach: [outreach] satisfies Ask.Outreach[],
  Agent: [
    agent,
    { ...agent, webhook_url: "https://agents.example/closed", webhook_secret: "whsec_c2VjcmV0" },
  ] satisfies Ask.Agent[],
  ApiKey: [key] satisfies Ask.ApiKey[],
  AgentRequest: [
    {
      agent_id: question.agent_id,
      idempotency_key: "bridge-1",
      request_hash: "b".repeat(64),
      response_data: "{}",
      http_status_code: 201,
      created_at: "2024-01-31T10:00:00.000Z",
      purge_at: 1706781600,
    },
  ] satisfies Ask.AgentRequest[],
  LimitWindow: [
    { subject: "answer:9f86d081", window_start: 1706695200, uses: 3, purge_at: 1706702400 },
  ] satisfies Ask.LimitWindow[],
  VersionedQuestion: [{ data: choice, data_version: 1, last_write: 1706695200000 }] satisfies Ask.VersionedQuestion[],
  VersionedResponse: [{ data: response, data_version: 1, last_write: 1706695200000 }] satisfies Ask.VersionedResponse[],
  VersionedSubscription: [
    { data: subscription, data_version: 1, last_write: 1706695200000 },
  ] satisfies Ask.VersionedSubscription[],
  VersionedUserStats: [{ data: stats, data_version: 1, last_write: 1706695200000 }] satisfies Ask.VersionedUserStats[],
  VersionedAgent: [{ data: agent, data_version: 1, last_write: 1706695200000 }] satisfies Ask.VersionedAgent[],
  VersionedApiKey: [{ data: key, data_version: 1, last_write: 1706695200000 }] satisfies Ask.VersionedApiKey[],
  AskEvent: [
    {
      type: "QuestionAsked",
      detail: {
        question_id: question.question_id,
        audience: ["creative", "product"],
        responses_needed: 5,
        expires_at: question.expires_at,
      },
    },
    {
      type: "QuestionClosed",
      detail: { question_id: question.question_id, agent_id: question.agent_id, current_responses: 5 },
    },
    {
      type: "QuestionExpired",
      detail: { question_id: question.question_id, agent_id: question.agent_id, current_responses: 0 },
    },
  ] satisfies Ask.AskEvent[],
};
