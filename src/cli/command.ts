import type { Config } from '../config.ts';
import type { Application } from '../domain/caller.ts';
import {
  findProviderName,
  type ProviderName,
  toUnknownProvider,
} from '../domain/provider-names.ts';
import type { ApplicationStores, Database } from '../storage/database.ts';
import type { KeyRing } from '../storage/key-ring.ts';

/** Invalid usage of a command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The provider of this name, in lower or upper case. */
export function readProvider(name: string): ProviderName {
  const provider = findProviderName(name);
  if (provider) return provider;
  throw new UsageError(toUnknownProvider(name));
}

/** Operands of several commands. */
export const APPLICATION: Operand = {
  name: 'APPLICATION',
  description: 'Id of the application, or its name if it is unique.',
};

export const CUSTOMER: Operand = {
  name: 'CUSTOMER',
  description: 'The application’s own id of the customer.',
};

/** Formats rows as aligned columns. The last column is not padded. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [place, cell] of row.slice(0, -1).entries()) {
      widths[place] = Math.max(widths[place] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, place) => cell.padEnd(place < row.length - 1 ? (widths[place] ?? 0) : 0))
        .join('  '),
    )
    .join('\n');
}

/** A command of the operator. */
export interface Command {
  /** The name as typed: `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** Additional help text. */
  readonly details?: readonly string[];
  /** In order; all are required. */
  readonly operands?: readonly Operand[];
  readonly options?: Readonly<Record<string, Option>>;
  run(invocation: Invocation): Promise<CommandResult>;
}

interface Operand {
  readonly name: string;
  readonly description: string;
}

export interface Option {
  /** The placeholder of its value in the help. Absent: a flag without a value. */
  readonly value?: string;
  readonly description: string;
  /** Repeatable. */
  readonly multiple?: boolean;
}

/** An invocation of a command: its arguments, checked by the runner, and its resources. */
export interface Invocation {
  operand(name: string): string;
  text(option: string): string | undefined;
  /** A whole number. */
  number(option: string): number | undefined;
  list(option: string): readonly string[];
  flag(option: string): boolean;
  /** Reads the configuration from the environment; throws if it is invalid. */
  readConfig(): Config;
  /** Opens the configured database; the embedded one is joined if it runs. Closed at the end of the command. */
  openDatabase(): Promise<Database>;
  /** Opens the database for an application: by default, that of the operand APPLICATION. */
  openApplication(name?: string): Promise<Application & ApplicationStores>;
  /** The keys that encrypt and sign. Created if there are none yet. */
  readKeyRing(): KeyRing;
  /** Reads standard input: for secrets, which must not be arguments. */
  readInput(): Promise<string>;
  /** A message in addition to the result, for humans only. */
  note(line: string): void;
  readonly now: () => number;
  readonly fetch: typeof fetch;
}

/** The result for programs and for humans. */
interface CommandResult {
  readonly data: unknown;
  readonly text: string;
  /** True if the command completed and found a problem. */
  readonly failed?: boolean;
}
