import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMON_FAULTS } from '../src/faults.ts';
import { HUBSPOT_FAULTS } from '../src/hubspot/faults.ts';
import { hubSpotImitation } from '../src/hubspot/imitation.ts';
import { SALESFORCE_FAULTS } from '../src/salesforce/faults.ts';
import { salesforceImitation } from '../src/salesforce/imitation.ts';

const page = readFileSync(join(import.meta.dirname, '../behaviour.md'), 'utf8');
const sections = new Map(
  page.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

test.each([
  ['Faults of any CRM', COMMON_FAULTS],
  ['Faults of HubSpot', HUBSPOT_FAULTS],
  ['Faults of Salesforce', SALESFORCE_FAULTS],
  ['Quirks of HubSpot', hubSpotImitation.quirks],
  ['Quirks of Salesforce', salesforceImitation.quirks],
  ['Limits', { ...hubSpotImitation.limits, ...salesforceImitation.limits }],
])('behaviour.md has a row for each of: %s', (title, named) => {
  const rows = [...(sections.get(title) ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, name]) => name,
  );
  expect(rows.toSorted()).toEqual(Object.keys(named).sort());
});

test('each row of behaviour.md says how sure it is', () => {
  const rows = page.slice(0, page.indexOf('## Differences that')).match(/^\| `.*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((row) => !/ \| [HML]\b[^|]* \|$/.test(row))).toEqual([]);
});
