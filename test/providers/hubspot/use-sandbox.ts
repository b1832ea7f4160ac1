import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll } from 'vitest';
import { createHubSpotSubject, type HubSpotSubject } from './subject.ts';

/** One sandbox for the tests of a file, each with an account of its own. */
export function useHubSpot(): HubSpotSubject {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox?.close());
  return createHubSpotSubject(() => {
    if (sandbox === undefined) throw new Error('The sandbox opens before the first test.');
    return sandbox;
  });
}
