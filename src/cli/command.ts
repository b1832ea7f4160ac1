import type { Config } from '../config.ts';

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
  run(context: CommandContext, given: Given): Promise<Outcome>;
}

export interface Operand {
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

/** What was given, by name. The runner has checked that it is complete and known. */
export interface Given {
  operand(name: string): string;
  text(option: string): string | undefined;
  list(option: string): readonly string[];
  flag(option: string): boolean;
}

/** The same twice: for programs, and for people. */
export interface Outcome {
  readonly data: unknown;
  readonly text: string;
  /** True where the command did its work, and found that something is wrong. */
  readonly failed?: boolean;
}

export interface CommandContext {
  /** Reads the environment; throws where that is not right. */
  readConfig(): Config;
  /** What comes on the standard input: for secrets, which are no arguments. */
  readInput(): Promise<string>;
  /** Beside the result: for a person only. */
  note(line: string): void;
  readonly now: () => number;
  readonly fetch: typeof fetch;
}

/** The person asked for something that there is not. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
