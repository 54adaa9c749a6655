// Generated from the description of the service by `npm run generate -- ADDRESS`. Not edited by hand.

export interface paths {
    "/agent/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The agent's own questions, the newest first
         * @description The pages of one list are of the moment of its first page.
         */
        get: operations["list_questions"];
        put?: never;
        /**
         * Ask people something
         * @description It closes with `min_responses` answers, or expires after `timeout_seconds`.
         */
        post: operations["ask_question"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/questions/{question_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A question with its answers
         * @description With `wait` the answer comes as soon as the question has another answer or status, and at the latest after so many seconds. What is over is given at once.
         */
        get: operations["read_question"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A question with its answers. */
        AnsweredQuestion: {
            /** @description For whom it is. */
            audience: components["schemas"]["QuestionAudience"][];
            /**
             * Format: date-time
             * @description When it got its last answer.
             */
            closed_at: string | null;
            /**
             * Format: date-time
             * @description When it was asked.
             */
            created_at: string;
            /**
             * Format: int64
             * @description How many it has.
             */
            current_responses: number;
            /**
             * Format: date-time
             * @description Until when it takes answers.
             */
            expires_at: string;
            /** @description What can be chosen. */
            options: string[] | null;
            /** @description What people are asked. */
            prompt: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            question_id: string;
            /**
             * Format: int64
             * @description With how many answers it closes.
             */
            required_responses: number;
            /** @description Its answers, the oldest first. */
            responses: components["schemas"]["ResponseView"][];
            /** @description How far it is. From its deadline on it is `EXPIRED`. */
            status: components["schemas"]["QuestionStatus"];
            /** @description How many chose which option; null for a question in words. */
            summary: components["schemas"]["Votes"][] | null;
            /** @description In words, or one of `options`. */
            type: components["schemas"]["QuestionType"];
        };
        /** @description A question that was asked just now. */
        Asked: {
            /**
             * Format: date-time
             * @description When it was asked.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Until when it takes answers.
             */
            expires_at: string;
            /** @description Where its answers are read. */
            poll_url: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            question_id: string;
            /** @description `OPEN`. */
            status: components["schemas"]["QuestionStatus"];
        };
        /** @description What is wrong with one value. */
        FieldError: {
            /** @description Which: a field of the body as `items[2].title`, a parameter, or a header. */
            field: string;
            /** @description Why, and what would be right. */
            reason: string;
        };
        /** @description Some items, and where the next page begins. */
        Listing: {
            /** @description The items, in order. A page is full unless it is the last, or its route says when it may be shorter. */
            items: components["schemas"]["QuestionView"][];
            /** @description The cursor of the next page; null when there is nothing more. */
            next_cursor: string | null;
        };
        /** @description What an agent wants to know. */
        NewQuestion: {
            /**
             * @description For whom it is; `general` unless said. The first counts for badges.
             * @default [
             *       "general"
             *     ]
             */
            audience?: components["schemas"]["QuestionAudience"][];
            /**
             * Format: int64
             * @description With how many answers it closes; 5 unless said.
             * @default 5
             */
            min_responses?: number;
            /** @description What can be chosen, for `multiple_choice` only; all different. */
            options?: string[] | null;
            /** @description What people are asked. */
            prompt: string;
            /**
             * Format: int64
             * @description After how many seconds it expires; 3600 unless said.
             * @default 3600
             */
            timeout_seconds?: number;
            /**
             * @description In words, or one of `options`; `text` unless said.
             * @default text
             */
            type?: components["schemas"]["QuestionType"];
        };
        /** @description What went wrong, after RFC 9457. */
        Problem: {
            /** @description What happened this time. */
            detail?: string | null;
            /** @description What is wrong with the values that were sent. */
            errors?: components["schemas"]["FieldError"][];
            /** @description The id of the request, as in the log and in `X-Request-Id`. */
            request_id?: string | null;
            /**
             * Format: uint16
             * @description The status of the response.
             */
            status: number;
            /** @description What it is, the same each time. */
            title: string;
            /** @description Which kind of problem it is: the address of its description. */
            type: string;
        };
        /** @description What `audience` of [`Question`] can be. */
        QuestionAudience: "technical" | "product" | "ethics" | "creative" | "general";
        /** @description What `status` of [`Question`] can be. */
        QuestionStatus: "OPEN" | "PARTIAL" | "CLOSED" | "EXPIRED";
        /** @description What `type` of [`Question`] can be. */
        QuestionType: "text" | "multiple_choice";
        /** @description A question, without its answers. */
        QuestionView: {
            /** @description For whom it is. */
            audience: components["schemas"]["QuestionAudience"][];
            /**
             * Format: date-time
             * @description When it got its last answer.
             */
            closed_at: string | null;
            /**
             * Format: date-time
             * @description When it was asked.
             */
            created_at: string;
            /**
             * Format: int64
             * @description How many it has.
             */
            current_responses: number;
            /**
             * Format: date-time
             * @description Until when it takes answers.
             */
            expires_at: string;
            /** @description What can be chosen. */
            options: string[] | null;
            /** @description What people are asked. */
            prompt: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            question_id: string;
            /**
             * Format: int64
             * @description With how many answers it closes.
             */
            required_responses: number;
            /** @description How far it is. From its deadline on it is `EXPIRED`. */
            status: components["schemas"]["QuestionStatus"];
            /** @description In words, or one of `options`. */
            type: components["schemas"]["QuestionType"];
        };
        /** @description What `review` of [`Response`] can be. */
        ResponseReview: "pending" | "approved" | "rejected" | "banned";
        /** @description What somebody answered. */
        ResponseView: {
            /** @description In words. */
            answer: string | null;
            /**
             * Format: int64
             * @description How sure they are, 1 to 5.
             */
            confidence: number | null;
            /**
             * Format: date-time
             * @description When they answered.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            response_id: string;
            /** @description What became of it, if it looked like abuse. */
            review: components["schemas"]["ResponseReview"] | null;
            /**
             * Format: int64
             * @description The number of the option, from 0.
             */
            selected_option: number | null;
        };
        /** @description How many chose an option. */
        Votes: {
            /**
             * Format: uint
             * @description Its number, from 0.
             */
            option: number;
            /**
             * Format: double
             * @description Their share of all, from 0 to 1.
             */
            share: number;
            /** @description What it says. */
            text: string;
            /**
             * Format: uint
             * @description How many chose it.
             */
            votes: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_questions: {
        parameters: {
            query?: {
                /** @description Where the page begins: the `next_cursor` of the page before. */
                cursor?: string;
                /** @description How many a page has. */
                limit?: number;
                /** @description Only those that are so now. */
                status?: components["schemas"]["QuestionStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It went well */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listing"];
                };
            };
            /** @description The request cannot be read (`/problems/malformed`). The cursor does not belong to this query (`/problems/bad-cursor`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed (`/problems/unauthenticated`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address is too long (`/problems/address-too-long`) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`/problems/rate-limited`) */
            429: {
                headers: {
                    /** @description In how many seconds to ask again. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The headers are too long (`/problems/headers-too-large`) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (`/problems/internal`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service cannot answer at the moment (`/problems/unavailable`). The service has too much to do at the moment (`/problems/overloaded`). The answer took too long (`/problems/timeout`) */
            503: {
                headers: {
                    /** @description In how many seconds to ask again. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ask_question: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to send the request again: it is done once, and answered the same, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewQuestion"];
            };
        };
        responses: {
            /** @description It is there now */
            201: {
                headers: {
                    /** @description Its version, for `If-Match`. */
                    ETag?: string;
                    /** @description Its address. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asked"];
                };
            };
            /** @description The request cannot be read (`/problems/malformed`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed (`/problems/unauthenticated`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The agent has too many open questions (`/problems/quota-exceeded`) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long to arrive (`/problems/too-slow`) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another request changed it at the same time (`/problems/conflict`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too long (`/problems/too-large`) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address is too long (`/problems/address-too-long`) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON (`/problems/unsupported-media-type`) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Some values are not allowed (`/problems/invalid`). The idempotency key was used for another request (`/problems/key-reused`) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`/problems/rate-limited`) */
            429: {
                headers: {
                    /** @description In how many seconds to ask again. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The headers are too long (`/problems/headers-too-large`) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (`/problems/internal`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service cannot answer at the moment (`/problems/unavailable`). The service has too much to do at the moment (`/problems/overloaded`). The answer took too long (`/problems/timeout`) */
            503: {
                headers: {
                    /** @description In how many seconds to ask again. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_question: {
        parameters: {
            query?: {
                /** @description For how many seconds to wait for something new. */
                wait?: number;
            };
            header?: never;
            path: {
                question_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It went well */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnsweredQuestion"];
                };
            };
            /** @description The request cannot be read (`/problems/malformed`) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid token is needed (`/problems/unauthenticated`) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing (`/problems/not-found`) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address is too long (`/problems/address-too-long`) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`/problems/rate-limited`) */
            429: {
                headers: {
                    /** @description In how many seconds to ask again. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The headers are too long (`/problems/headers-too-large`) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Something went wrong on our side (`/problems/internal`) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service cannot answer at the moment (`/problems/unavailable`). The service has too much to do at the moment (`/problems/overloaded`). The answer took too long (`/problems/timeout`) */
            503: {
                headers: {
                    /** @description In how many seconds to ask again. */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
