import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A command of Crossbook as it can be pasted into the terminal in which this process was started. */
export function toOwnCommand(words: string, started: Started = process): string {
  return `${toProgram(started)} ${words}`;
}

function toProgram({ argv, env, cwd }: Started): string {
  const [, script = ''] = argv;
  if (env['npm_package_name'] === 'crossbook') return 'npm run -s crossbook --';
  if (script.includes('/node_modules/')) return 'npx crossbook';
  const program = join(dirname(script), 'crossbook');
  const path = relative(cwd(), program);
  // A path outside of the folder would tell others where Crossbook is installed.
  return !path.startsWith('..') && existsSync(program) ? path : 'crossbook';
}

interface Started {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}
