import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** A command of Crossbook as it can be pasted into the terminal in which this process was started. */
export function toOwnCommand(words: string, started: Started = process): string {
  return `${toProgram(started)} ${toEnvFile(started)}${words}`;
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

/** Without it the command would use other settings, for example another database. */
function toEnvFile({ argv, cwd }: Started): string {
  const [, , first = '', second = ''] = argv;
  if (!/^--env-file(=|$)/.test(first)) return '';
  const file = first.includes('=') ? first.slice(first.indexOf('=') + 1) : second;
  const path = relative(cwd(), resolve(cwd(), file));
  return `--env-file ${path.startsWith('..') ? 'FILE' : quote(path)} `;
}

/** For a POSIX shell. */
function quote(path: string): string {
  return /^[\w./@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

interface Started {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}
