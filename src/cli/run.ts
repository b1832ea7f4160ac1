import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { toReason } from '../lib/to-reason.ts';
import {
  type Command,
  type CommandContext,
  type Option,
  type ParsedArguments,
  toTable,
  UsageError,
} from './command.ts';
import {
  appsCreate,
  appsList,
  appsOrigins,
  keysAdmin,
  keysCreate,
  keysList,
  keysRevoke,
  keysRotate,
} from './commands/applications.ts';
import { backup, restoreCommand, sealRotate } from './commands/backup.ts';
import { customersDelete, tokensRevoke } from './commands/customers.ts';
import { doctor } from './commands/doctor.ts';
import { oauthClientsDelete, oauthClientsList, oauthClientsSet } from './commands/oauth-clients.ts';
import { schemaPrint } from './commands/schema.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  appsCreate,
  appsList,
  appsOrigins,
  keysCreate,
  keysList,
  keysRotate,
  keysRevoke,
  keysAdmin,
  oauthClientsSet,
  oauthClientsList,
  oauthClientsDelete,
  customersDelete,
  tokensRevoke,
  sealRotate,
  backup,
  restoreCommand,
  schemaPrint,
  doctor,
];

/** Does what the arguments say. Resolves to the exit code: 0 done, 1 failed, 2 asked wrongly. */
export async function runCommand(options: RunOptions): Promise<number> {
  const { args } = options;
  const { print, printError } = createOutput(options);
  const command = COMMANDS.find(({ name }) => isCalled(name, args));
  if (!command) return answerWithoutCommand(options);
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    print(renderCommandHelp(command));
    return 0;
  }
  try {
    const { json, given } = readArguments(command, rest);
    const { data, text, failed = false } = await command.run(toContext(options), given);
    print(json ? JSON.stringify(data, null, 2) : text);
    return failed ? 1 : 0;
  } catch (error) {
    printError(toReason(error));
    if (!(error instanceof UsageError)) return 1;
    printError(`\n${renderCommandHelp(command)}`);
    return 2;
  }
}

function answerWithoutCommand(options: RunOptions): number {
  const { args } = options;
  const { print, printError } = createOutput(options);
  const [first = ''] = args;
  const family = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const isKnown = family.length > 0 || first === 'serve' || first.startsWith('-');
  if (first === 'help' || (isKnown && args.some((arg) => ['--help', '-h'].includes(arg)))) {
    print(renderHelp(family.length > 0 ? family : COMMANDS));
    return 0;
  }
  printError(
    `There is no command: ${args.slice(0, 2).join(' ')}\n\n${renderHelp(family.length > 0 ? family : COMMANDS)}`,
  );
  return 2;
}

function isCalled(name: string, args: readonly string[]): boolean {
  return name.split(' ').every((word, place) => args[place] === word);
}

function readArguments(command: Command, args: readonly string[]): { json: boolean; given: ParsedArguments } {
  const { values, positionals } = parse(command, args);
  const names = (command.operands ?? []).map(({ name }) => name);
  const missing = names.slice(positionals.length);
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(' ')}`);
  const surplus = positionals.slice(names.length);
  if (surplus.length > 0) throw new UsageError(`Not known: ${surplus.join(' ')}`);
  const given: ParsedArguments = {
    operand: (name) => positionals[names.indexOf(name)] ?? '',
    text: (name) => toTexts(values[name])[0],
    list: (name) => toTexts(values[name]),
    flag: (name) => values[name] === true,
  };
  return { json: given.flag('json'), given };
}

function parse({ options = {} }: Command, args: readonly string[]) {
  const all: [string, Pick<Option, 'value' | 'multiple'>][] = [...Object.entries(options), ['json', {}]];
  const known = all.map(([name, { value, multiple = false }]) => {
    const type: 'boolean' | 'string' = value === undefined ? 'boolean' : 'string';
    return [name, { type, multiple }] as const;
  });
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(known), allowPositionals: true });
  } catch (error) {
    throw new UsageError(toReason(error));
  }
}

function toTexts(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function createOutput({ stdout, stderr }: Pick<RunOptions, 'stdout' | 'stderr'>) {
  return {
    print: (text: string) => void stdout.write(`${text}\n`),
    printError: (text: string) => void stderr.write(`${text}\n`),
  };
}

function toContext({
  env,
  stdin,
  stderr,
  now = systemClock.wall,
  fetch = globalThis.fetch,
}: RunOptions): CommandContext {
  const { printError } = createOutput({ stdout: stderr, stderr });
  return {
    ...{ readConfig: () => readConfig(env), readInput: () => readInput(stdin) },
    ...{ note: printError, now, fetch },
  };
}

function renderHelp(commands: readonly Command[]): string {
  const rows = commands.map((command) => [`  ${toSynopsis(command)}`, command.summary]);
  return [
    'crossbook: one API over the CRMs of your customers',
    '',
    'Usage: crossbook [--env-file FILE] [COMMAND] [--json] [--help] [--version]',
    '',
    toTable([['  serve', 'Listens and answers. The same without a command.'], ...rows]),
    '',
    'Settings come from the environment, and with --env-file from a file: see .env.example. With --json a command answers for programs.',
    'Exit codes: 0 done, 1 failed, 2 asked wrongly.',
  ].join('\n');
}

function renderCommandHelp(command: Command): string {
  const { summary, details = [], operands = [], options = {} } = command;
  const choices = Object.entries(options).map(([name, { value, description }]) => [
    `  --${name}${value === undefined ? '' : ` ${value}`}`,
    description,
  ]);
  return [
    `Usage: crossbook ${toSynopsis(command)}${choices.length > 0 ? ' [OPTIONS]' : ''}`,
    '',
    summary,
    ...(details.length > 0 ? ['', ...details] : []),
    '',
    toTable([
      ...operands.map(({ name, description }) => [`  ${name}`, description]),
      ...choices,
      ['  --json', 'Answers in JSON.'],
    ]),
  ].join('\n');
}

function toSynopsis({ name, operands = [] }: Command): string {
  return [name, ...operands.map((operand) => operand.name)].join(' ');
}

/** All of the standard input, as text: a secret is a line of it. Throws where that is no secret for its length. */
async function readInput(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const buffer = Buffer.from(chunk as Uint8Array);
    bytes += buffer.length;
    if (bytes > MAX_BYTES) throw new Error(`The standard input has more than ${MAX_BYTES} bytes.`);
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
  /** For results, and nothing else. */
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
}
