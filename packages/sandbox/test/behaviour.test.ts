import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMON_FAULTS } from '../src/faults.ts';
import { HUBSPOT_FAULTS } from '../src/hubspot/faults.ts';
import { hubSpotSimulation } from '../src/hubspot/simulation.ts';
import { PIPEDRIVE_FAULTS } from '../src/pipedrive/faults.ts';
import { pipedriveSimulation } from '../src/pipedrive/simulation.ts';
import { SALESFORCE_FAULTS } from '../src/salesforce/faults.ts';
import { salesforceSimulation } from '../src/salesforce/simulation.ts';

const page = readFileSync(join(import.meta.dirname, '../behaviour.md'), 'utf8');
const sections = new Map(
  page.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

test.each([
  ['Faults of any CRM', COMMON_FAULTS],
  ['Faults of HubSpot', HUBSPOT_FAULTS],
  ['Faults of Salesforce', SALESFORCE_FAULTS],
  ['Faults of Pipedrive', PIPEDRIVE_FAULTS],
  ['Quirks of HubSpot', hubSpotSimulation.quirks],
  ['Quirks of Salesforce', salesforceSimulation.quirks],
  ['Quirks of Pipedrive', pipedriveSimulation.quirks],
  [
    'Limits',
    {
      ...hubSpotSimulation.limits,
      ...salesforceSimulation.limits,
      ...pipedriveSimulation.limits,
    },
  ],
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
