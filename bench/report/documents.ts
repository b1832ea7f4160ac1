import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

/** Replaces the text between the two marks of this name in a document. False if they are missing. */
export function writeBetweenMarks(document: string, name: string, text: string): boolean {
  const start = `<!-- ${name}:start -->`;
  const path = join(ROOT, document);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const from = before.indexOf(start);
  const to = before.indexOf(`<!-- ${name}:end -->`);
  if (from < 0 || to < from) return false;
  writeFileSync(path, `${before.slice(0, from + start.length)}\n\n${text}\n\n${before.slice(to)}`);
  return true;
}
