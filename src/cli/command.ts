import type { Config } from '../config.ts';
import type { Application } from '../domain/caller.ts';
import type { ApplicationStores, Database } from '../storage/database.ts';

/** The person asked for something that there is not. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Of several commands. */
export const APPLICATION: Operand = {
  name: 'APPLICATION',
  description: 'Id of the application, or its name if it is unique.',
};

/** Rows in columns that line up. The last column is not padded. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [place, cell] of row.slice(0, -1).entries()) {
      widths[place] = Math.max(widths[place] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) =>
      row.map((cell, place) => cell.padEnd(place < row.length - 1 ? (widths[place] ?? 0) : 0)).join('  '),
    )
    .join('\n');
}

/** One thing that an operator can do. */
export interface Command {
  /** As it is typed: `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** What else a person should know before. */
  readonly details?: readonly string[];
  /** In their order; all of them must be given. */
  readonly operands?: readonly Operand[];
  readonly options?: Readonly<Record<string, Option>>;
  run(invocation: Invocation): Promise<CommandResult>;
}

interface Operand {
  readonly name: string;
  readonly description: string;
}

export interface Option {
  /** What stands for its value in the help. Absent: the option takes none. */
  readonly value?: string;
  readonly description: string;
  /** May be given several times. */
  readonly multiple?: boolean;
}

/** One call of a command: what was given, which the runner has checked to be complete and known, and what it may use. */
export interface Invocation {
  operand(name: string): string;
  text(option: string): string | undefined;
  list(option: string): readonly string[];
  flag(option: string): boolean;
  /** Reads the environment; throws where that is not right. */
  readConfig(): Config;
  /** The configured one: the embedded one beside the process that serves, or alone. Closed when the command has ended. */
  openDatabase(): Promise<Database>;
  /** The database for the operand APPLICATION. */
  openApplication(): Promise<Application & ApplicationStores>;
  /** What comes on the standard input: for secrets, which are no arguments. */
  readInput(): Promise<string>;
  /** Beside the result: for a person only. */
  note(line: string): void;
  readonly now: () => number;
  readonly fetch: typeof fetch;
}

/** The same twice: for programs, and for people. */
interface CommandResult {
  readonly data: unknown;
  readonly text: string;
  /** True where the command did its work, and found that something is wrong. */
  readonly failed?: boolean;
}
