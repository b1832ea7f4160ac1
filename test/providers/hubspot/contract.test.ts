import { afterAll, beforeAll } from 'vitest';
import { openSandbox, type Sandbox } from '../../../src/sandbox/open-sandbox.ts';
import { testContactPort } from '../../contract/contact-port.ts';
import { createHubSpotSubject } from './subject.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox();
});

afterAll(() => sandbox.close());

testContactPort(
  'HubSpot',
  createHubSpotSubject(() => sandbox),
);
