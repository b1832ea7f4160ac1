import { describe } from 'vitest';
import { testAnomalies } from './contact-port-anomalies.ts';
import { testFilters } from './contact-port-filters.ts';
import { testLookups } from './contact-port-lookups.ts';
import { testAssociations, testNoAssociations, testRecords } from './contact-port-records.ts';
import { testRuns } from './contact-port-runs.ts';
import type { Subject } from './contact-port-subject.ts';

/** The contract of every searchable CRM, over real HTTP. A new adapter passes this before it is registered. */
export function testAdapter(name: string, subject: Subject): void {
  describe(`${name}: lookup by email`, () => testLookups(subject));
  describe(`${name}: pages of one email domain`, () => testRuns(subject));
  describe(`${name}: further filters`, () => testFilters(subject));
  describe(`${name}: fields of a contact`, () => testRecords(subject));
  const offersAssociations = subject.access.records.CONTACT.associatedObjects.length > 0;
  describe(`${name}: associations`, () =>
    (offersAssociations ? testAssociations : testNoAssociations)(subject));
  describe(`${name}: errors of the CRM`, () => testAnomalies(subject));
}
