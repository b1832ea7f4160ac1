import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

/** Writes between the two marks, and nowhere else. False where they are missing. */
export function writeIntoReadme(section: string): boolean {
  const path = join(ROOT, 'README.md');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  if (from < 0 || to < from) return false;
  writeFileSync(path, `${text.slice(0, from + START.length)}\n\n${section}\n\n${text.slice(to)}`);
  return true;
}

const START = '<!-- bench:start -->';
const END = '<!-- bench:end -->';
