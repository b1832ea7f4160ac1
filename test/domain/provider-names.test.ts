import { expect, test } from 'vitest';
import { findProviderName } from '../../src/domain/provider-names.ts';

test.each([
  ['hubspot', 'hubspot'],
  ['HUBSPOT', 'hubspot'],
  ['6sense', '6sense'],
  ['SIX_SENSE', '6sense'],
  ['MS_DYNAMICS_365_SALES', 'ms_dynamics_365_sales'],
  ['Hubspot', undefined],
  ['toString', undefined],
  ['', undefined],
])('%s is the provider %s', (text, name) => {
  expect(findProviderName(text)).toBe(name);
});
