import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listSettings } from '../../src/config.ts';
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

test('.env.example has every setting, with its default where there is one', async () => {
  const settings = listSettings().map(({ name, example, words }) => {
    const comment = words && `\n${wrap(words)}\n`;
    return `${comment}# ${name}=${example}\n`;
  });
  const printed = `${ENV_HEAD}${settings.join('')}${ENV_FOOT}`;
  await expect(printed).toMatchFileSnapshot('../../.env.example');
});

const ENV_HEAD = `# Every setting of Crossbook. All of them have defaults: an empty environment runs the product with its sandbox.
# Settings are read from the environment, and from the file of --env-file, once, at start; a wrong or unknown CROSSBOOK_* one stops the start.
`;

const ENV_FOOT = `
# The OAuth clients that refresh access tokens, one pair for each provider: CROSSBOOK_<PROVIDER>_CLIENT_ID and _SECRET.
# CROSSBOOK_HUBSPOT_CLIENT_ID=
# CROSSBOOK_HUBSPOT_CLIENT_SECRET=
# CROSSBOOK_SALESFORCE_CLIENT_ID=
# CROSSBOOK_SALESFORCE_CLIENT_SECRET=
`;

function wrap(words: string): string {
  return words.replaceAll(/(?=\S)(.{1,118})(?:\s|$)/g, '# $1\n').trimEnd();
}

/** The document with these rows below the head of their table. */
function withTable(document: string, head: string, rows: readonly string[]): string {
  const start = document.indexOf(head);
  const end = document.indexOf('\n\n', start);
  if (start < 0 || end < 0) throw new Error(`There is no table with the head ${head}`);
  const rule = head.replaceAll(/[^|]+/g, '---');
  return `${document.slice(0, start)}${[head, rule, ...rows].join('\n')}${document.slice(end)}`;
}
