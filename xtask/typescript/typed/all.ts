// Everything that was typed, as JSON on standard output.

import { accounts } from "./accounts.js";
import { ask } from "./ask.js";
import { tasks } from "./tasks.js";
import { todo } from "./todo.js";

declare const process: { stdout: { write(text: string): void } };

process.stdout.write(JSON.stringify({ accounts, ask, tasks, todo }));
