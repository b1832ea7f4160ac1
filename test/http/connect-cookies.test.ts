import { expect, test } from 'vitest';
import { createCookies } from '../../src/connect/connect-pages.ts';

test('the newest flow cookies of a browser with many flows are read, so that the returning one is among them', () => {
  const { read, write } = createCookies('https://crossbook.example');
  const flows = Array.from({ length: 30 }, (_, index) => ({
    flow: `flow-${index}`,
    value: 'v'.repeat(43),
    expiresAt: new Date(900_000),
  }));
  // As browsers send them: the oldest first.
  const header = flows.map((flow) => write(flow, 0).split(';')[0]).join('; ');
  expect([...read(header).keys()]).toEqual(flows.slice(10).map(({ flow }) => flow));
});
