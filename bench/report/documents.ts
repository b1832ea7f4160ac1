import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

/** Replaces the text between the two marks of a document. False if they are missing. */
export function writeBetweenMarks(document: string, text: string): boolean {
  const path = join(ROOT, document);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const from = before.indexOf(START);
  const to = before.indexOf(END);
  if (from < 0 || to < from) return false;
  writeFileSync(path, `${before.slice(0, from + START.length)}\n\n${text}\n\n${before.slice(to)}`);
  return true;
}

const START = '<!-- bench:start -->';
const END = '<!-- bench:end -->';
