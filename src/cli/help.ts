import type { Command } from './command.ts';
import { toTable } from './table.ts';

export function renderHelp(commands: readonly Command[]): string {
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

export function renderCommandHelp(command: Command): string {
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
