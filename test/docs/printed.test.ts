import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listSettings } from '../../src/config.ts';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { EVENT_TYPES } from '../../src/domain/event.ts';
import { company } from '../../src/domain/records/company.ts';
import { contact } from '../../src/domain/records/contact.ts';
import { deal } from '../../src/domain/records/deal.ts';
import { listLimits } from '../../src/graphql/engine/limits.ts';
import {
  printClientErrors,
  printContactFragment,
  printErrors,
  printLimits,
  printRecordFragment,
  printSettings,
} from './print.ts';

// What is said in documents and declared in the code is printed from the code: `npm run docs` writes it.

test('docs/api.md has every code of an error with its status', async () => {
  const printed = printErrors(readFileSync('docs/api.md', 'utf8'), ERROR_CODES);
  await expect(printed).toMatchFileSnapshot('../../docs/api.md');
});

test('docs/rate-limits.md has every limit of a GraphQL request', async () => {
  const printed = printLimits(readFileSync('docs/rate-limits.md', 'utf8'), listLimits());
  await expect(printed).toMatchFileSnapshot('../../docs/rate-limits.md');
});

test('docs/webhooks.md has every type of event, and no other', () => {
  const [, section = ''] = readFileSync('docs/webhooks.md', 'utf8').split('\n## Events\n');
  const [table = ''] = section.split('\n## ');
  const types = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  );
  expect(types.sort()).toEqual(EVENT_TYPES.map((type) => `\`${type}\``).sort());
});

test('the client has every error code', async () => {
  await expect(printClientErrors(ERROR_CODES)).toMatchFileSnapshot(
    '../../packages/client/src/error-codes.generated.ts',
  );
});

test('the client requests every declared field of a contact', async () => {
  await expect(printContactFragment(contact)).toMatchFileSnapshot(
    '../../packages/client/src/contact-fields.generated.graphql',
  );
});

test.each([company, deal])('the client requests every declared field of a $name', async (shape) => {
  await expect(printRecordFragment(shape)).toMatchFileSnapshot(
    `../../packages/client/src/${shape.name.toLowerCase()}-fields.generated.graphql`,
  );
});

test('.env.example has every setting, with its default where there is one', async () => {
  await expect(printSettings(listSettings())).toMatchFileSnapshot('../../.env.example');
});
