import { test } from 'vitest';
import { findAllOfOneTime } from '../provider-kit/contact-port-filters.ts';
import { useHubSpot } from './hubspot/use-sandbox.ts';
import { useOrgs } from './salesforce/open-org.ts';

test.each([
  ['HubSpot', useHubSpot()],
  ['Salesforce', { open: useOrgs() }],
])('%s: 30,000 contacts with one modification time are all found, once', (_, subject) =>
  findAllOfOneTime(subject, 30_000),
);
