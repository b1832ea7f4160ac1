import { expect, test } from 'vitest';
import { toMatchPage } from '../../src/connect/match-page.ts';
import {
  MAX_CUSTOM_FIELDS,
  MAX_PROVIDER_FIELDS,
  type ProviderField,
} from '../../src/domain/custom-fields.ts';

import { RECORD_TYPES, type RecordType } from '../../src/domain/records/record-type.ts';

const visited = {
  link: { purpose: 'CONNECT', mode: 'REDIRECT', providers: ['hubspot'], mapFields: true },
  application: { name: 'Acme', accentColor: null, hasLogo: false },
} as never;

function toOptions(length: number): readonly ProviderField[] {
  return Array.from({ length: MAX_PROVIDER_FIELDS }, (_, at) => ({
    name: `${'n'.repeat(length)}${at}`,
    label: `${'&'.repeat(length)}${at}`,
    type: 'TEXT',
    isCustom: true,
    isFilterable: true,
    choices: [],
  }));
}

async function render(own: number, length: number, records: readonly RecordType[] = ['CONTACT']) {
  const options = toOptions(length);
  const last = options.at(-1)?.name ?? '';
  const matches = Array.from({ length: own }, (_, at) => ({
    field: {
      name: `field${at}`,
      type: 'TEXT' as const,
      description: null,
      sources: [],
      customersMayMap: true,
    },
    options,
    selected: last,
    fallback: null,
  }));
  const samples = new Map(options.slice(0, 100).map(({ name }) => [name, ['"'.repeat(40)]]));
  const groups = records.map((record) => ({ record, matches, samples }));
  const page = { visited, provider: 'hubspot' as const, groups };
  const { body } = toMatchPage(page, { logoUrl: undefined, linkUrl: '/connect/token' });
  return { text: String(body), last };
}

test('the longest page has a limit of bytes, and lists what is selected', async () => {
  const { text, last } = await render(MAX_CUSTOM_FIELDS, 250, RECORD_TYPES);
  expect(text.length).toBeLessThan(5_000_000);
  const all = RECORD_TYPES.length * MAX_CUSTOM_FIELDS;
  expect(text.split(`value="${last}" selected`)).toHaveLength(all + 1);
  // A long label is cut.
  expect(text).toContain(`${'&amp;'.repeat(80)}…`);
});

test('a list of usual names is complete for a few custom fields', async () => {
  const { text } = await render(4, 20);
  expect(text.split('<option')).toHaveLength(4 * (MAX_PROVIDER_FIELDS + 1) + 1);
});
