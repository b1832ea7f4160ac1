import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/domain/errors.ts';

// What is said in documents and declared in the code is printed from the code: `npm run docs` writes it.

test('docs/api.md has every code of an error with its status', async () => {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, when }]) => `| ${status} | \`${code}\` | ${when} |`,
  );
  const printed = withTable(readFileSync('docs/api.md', 'utf8'), '| status | code | when |', rows);
  await expect(printed).toMatchFileSnapshot('../../docs/api.md');
});

test('the client knows every code of an error', async () => {
  const members = Object.keys(ERROR_CODES).map((code) => `\n  | '${code}'`);
  const printed = `export type ErrorCode =${members.join('')};\n`;
  await expect(printed).toMatchFileSnapshot('../../src/client/error-codes.generated.ts');
});

/** The document with these rows below the head of their table. */
function withTable(document: string, head: string, rows: readonly string[]): string {
  const start = document.indexOf(head);
  const end = document.indexOf('\n\n', start);
  if (start < 0 || end < 0) throw new Error(`There is no table with the head ${head}`);
  const rule = head.replaceAll(/[^|]+/g, '---');
  return `${document.slice(0, start)}${[head, rule, ...rows].join('\n')}${document.slice(end)}`;
}
