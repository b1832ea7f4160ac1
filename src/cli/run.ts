import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { toReason } from '../lib/output.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { describeMigration } from '../storage/engine/open.ts';
import { type KeyRing, openKeyRing } from '../storage/key-ring.ts';
import { findApplication } from '../usecases/manage-applications.ts';
import { type Command, type Invocation, type Option, toTable, UsageError } from './command.ts';
import { applicationCommands } from './commands/applications.ts';
import { checkConnection } from './commands/check-connection.ts';
import { customFieldCommands } from './commands/custom-fields.ts';
import { customerCommands } from './commands/customers.ts';
import { doctor } from './commands/doctor.ts';
import { installationCommands } from './commands/installation.ts';
import { listCommands } from './commands/lists.ts';
import { syncCommands } from './commands/syncs.ts';
import { usageCommands } from './commands/usage.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { writeCommands } from './commands/writes.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...applicationCommands,
  ...customFieldCommands,
  ...listCommands,
  checkConnection,
  ...customerCommands,
  ...syncCommands,
  ...writeCommands,
  ...webhookCommands,
  ...usageCommands,
  ...installationCommands,
  doctor,
];

/** Runs a command. Resolves to the exit code: 0 done, 1 failed, 2 invalid usage. */
export async function runCommand(options: RunOptions): Promise<number> {
  const { args, stdout, stderr } = options;
  const print = (text: string) => void stdout.write(`${text}\n`);
  const printError = (text: string) => void stderr.write(`${text}\n`);
  const command = COMMANDS.find(({ name }) => isCalled(name, args));
  const help = command ? renderCommandHelp(command) : renderHelp(familyOf(args));
  if (requestsHelp(args, command)) {
    print(help);
    return 0;
  }
  if (!command) {
    const [first = '', second = ''] = args;
    const isGroup = familyOf(args) !== COMMANDS && /^(-|$)/.test(second);
    const problem = isGroup
      ? `Missing: a subcommand of ${first}`
      : `Unknown command: ${first} ${second}`;
    // A list of all commands would scroll the error away.
    const more =
      familyOf(args) === COMMANDS ? '`crossbook --help` lists all commands.' : `\n${help}`;
    printError(`${problem.trimEnd()}\n${more}`);
    return 2;
  }
  try {
    const parsed = readArguments(command, args);
    const { data, text, failed = false } = await invoke(command, parsed, options);
    print(parsed.flag('json') ? JSON.stringify(data, null, 2) : text);
    return failed ? 1 : 0;
  } catch (error) {
    printError(toReason(error));
    if (!(error instanceof UsageError)) return 1;
    printError(`\n${help}`);
    return 2;
  }
}

function isCalled(name: string, args: readonly string[]): boolean {
  return name.split(' ').every((word, place) => args[place] === word);
}

/** Commands with the same first word, or all if there is none. */
function familyOf([first]: readonly string[]): readonly Command[] {
  const family = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  return family.length > 0 ? family : COMMANDS;
}

function requestsHelp(args: readonly string[], command: Command | undefined): boolean {
  const [first = ''] = args;
  if (!command && first === 'help') return true;
  const isKnown =
    command || familyOf(args) !== COMMANDS || SERVERS.includes(first) || first.startsWith('-');
  return Boolean(isKnown) && args.some((arg) => arg === '--help' || arg === '-h');
}

/** Commands that `main.ts` runs, which last until a signal. */
export const SERVERS = ['serve', 'jobs'];

function readArguments({ name, operands = [], options = {} }: Command, args: readonly string[]) {
  const { values, positionals } = parse(options, args.slice(name.split(' ').length));
  const names = operands.map((operand) => operand.name);
  const missing = names.slice(positionals.length);
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(' ')}`);
  const surplus = positionals.slice(names.length);
  if (surplus.length > 0) throw new UsageError(`Unexpected argument: ${surplus.join(' ')}`);
  const list = (option: string) => [values[option]].flat().filter((one) => typeof one === 'string');
  const text = (option: string) => list(option)[0];
  return {
    operand: (operand: string) => positionals[names.indexOf(operand)] ?? '',
    text,
    number: (option: string) => readNumber(option, text(option)),
    list,
    flag: (option: string) => values[option] === true,
  };
}

function readNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a whole number`);
}

function parse(options: NonNullable<Command['options']>, args: readonly string[]) {
  const known = Object.entries({ ...options, json: JSON_OPTION }).map(
    ([name, { value, multiple = false }]) => {
      const type: 'boolean' | 'string' = value === undefined ? 'boolean' : 'string';
      return [name, { type, multiple }] as const;
    },
  );
  if (args.some((arg) => /^--env-file(=|$)/.test(arg)))
    throw new UsageError('--env-file comes before the command: crossbook --env-file FILE COMMAND');
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(known),
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(toReason(error));
  }
}

/** An option of every command. */
const JSON_OPTION: Option = { description: 'Prints JSON.' };

async function invoke(
  command: Command,
  parsed: ReturnType<typeof readArguments>,
  options: RunOptions,
) {
  const { env, stdin, stderr, now = systemClock.wall, fetch = globalThis.fetch } = options;
  let database: Database | undefined;
  let keyRing: KeyRing | undefined;
  const invocation: Invocation = {
    ...parsed,
    readConfig: () => readConfig(env),
    async openDatabase() {
      const config = readConfig(env);
      database = await openDatabase(
        { ...config.database, join: true },
        { keyRing: invocation.readKeyRing(), ...describeMigration(invocation.note) },
      );
      return database;
    },
    readKeyRing() {
      if (keyRing) return keyRing;
      const { ring, notes } = openKeyRing(readConfig(env));
      for (const line of notes) invocation.note(line);
      keyRing = ring;
      return ring;
    },
    async openApplication(named = parsed.operand('APPLICATION')) {
      const { admin, forApplication } = await invocation.openDatabase();
      const application = await findApplication(admin, named);
      return { ...application, ...forApplication(application.id) };
    },
    readInput: () => readInput(stdin),
    note: (line) => void stderr.write(`${line}\n`),
    now,
    fetch,
  };
  try {
    return await command.run(invocation);
  } finally {
    await database?.close();
  }
}

function renderHelp(commands: readonly Command[]): string {
  const rows = commands.map((command) => [`  ${toSynopsis(command)}`, command.summary]);
  return [
    'crossbook: one API over the CRMs of your customers',
    '',
    'Usage: crossbook [--env-file FILE] [COMMAND] [--json] [--help] [--version]',
    '',
    toTable([
      ['  serve', 'Starts the server. The default without a command.'],
      ['  jobs', 'Starts a process that does jobs and serves no requests (CROSSBOOK_JOBS).'],
      ...rows,
    ]),
    '',
    'Settings come from the environment, and with --env-file from a file: see .env.example. With --json a command prints JSON.',
    'Exit codes: 0 success, 1 failure, 2 usage error.',
  ].join('\n');
}

function renderCommandHelp(command: Command): string {
  const { summary, details = [], operands = [], options = {} } = command;
  const choices = Object.entries({ ...options, json: JSON_OPTION }).map(
    ([name, { value, description }]) => [
      `  --${name}${value === undefined ? '' : ` ${value}`}`,
      description,
    ],
  );
  return [
    `Usage: crossbook ${toSynopsis(command)}${command.options ? ' [OPTIONS]' : ''}`,
    '',
    summary,
    ...(details.length > 0 ? ['', ...details] : []),
    '',
    toTable([...operands.map(({ name, description }) => [`  ${name}`, description]), ...choices]),
  ].join('\n');
}

function toSynopsis({ name, operands = [] }: Command): string {
  return [name, ...operands.map((operand) => operand.name)].join(' ');
}

/** Reads standard input as text; a secret is one line. Throws if it is too long for a secret. */
async function readInput(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const buffer = Buffer.from(chunk as Uint8Array);
    bytes += buffer.length;
    if (bytes > MAX_BYTES) throw new Error(`Standard input is larger than ${MAX_BYTES} bytes.`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const MAX_BYTES = 64 * 1024;

interface Output {
  write(text: string): unknown;
}

interface RunOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<string | Uint8Array>;
  /** For results only. */
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
}
