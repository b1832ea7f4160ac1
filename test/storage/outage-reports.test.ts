import { expect, test } from 'vitest';
import {
  ConnectError,
  classifyError,
  createOutageReports,
} from '../../src/storage/engine/failures.ts';

test('the reason of a database outage is logged once a minute for each reason, and other errors are not', () => {
  const said: string[] = [];
  let now = 0;
  const report = createOutageReports(({ code, reason }) => said.push(`${code} ${reason}`), {
    now: () => now,
  });
  const meet = (code: string, message: string) => {
    const failure = Object.assign(new Error(message), { code });
    const { error } = classifyError(code.length > 5 ? new ConnectError(failure) : failure);
    expect(() => report(error)).toThrow(error as Error);
  };
  meet('53100', 'No space left on device');
  meet('53100', 'No space left on device');
  meet('ECONNREFUSED', 'connect ECONNREFUSED /socket');
  meet('22P02', 'invalid input syntax: "secret"');
  meet('22021', 'invalid byte sequence');
  expect(said).toEqual([
    '53100 No space left on device',
    'ECONNREFUSED connect ECONNREFUSED /socket',
  ]);
  now = 60_000;
  meet('53100', 'still no space left');
  expect(said.at(-1)).toBe('53100 still no space left');
});

test('what the operator has to change on the server is an outage and no bug: a broken disk, a missing privilege, a missing database', () => {
  const understand = (code: string, message: string) =>
    classifyError(Object.assign(new Error(message), { code })).error;
  for (const [code, message] of [
    ['42501', 'could not open file "base/5/2601": Read-only file system'],
    ['42501', 'could not write to log file 000000010000000000000002: Read-only file system'],
    ['58030', 'could not read block 3 in file "base/5/2601": Input/output error'],
    ['XX001', 'invalid page in block 3 of relation base/5/2601'],
    ['42501', 'permission denied for table customers'],
    ['28000', 'role "crossbook" is not permitted to log in'],
    ['3D000', 'database "crossbook" does not exist'],
  ] as const)
    expect(understand(code, message)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(understand('42703', 'column "nmae" does not exist')).not.toHaveProperty('code');
});
