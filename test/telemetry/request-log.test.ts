import { expect, test } from 'vitest';
import { AbandonedError, CrossbookError } from '../../src/domain/errors.ts';
import type { RequestRecord } from '../../src/domain/log.ts';
import { IncomingHeaders } from '../../src/http/incoming-request.ts';
import { createRequestLogs } from '../../src/telemetry/request-log.ts';
import type { RequestTrace, Traces } from '../../src/telemetry/traces.ts';
import { createFakeLog } from '../support/fake-log.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

test('notes from many places are logged once, at the end of the request', () => {
  const { requestLog, records, tick } = open();
  requestLog.record({ api: 'graphql', operation: 'searchContacts', operationName: 'Find' });
  requestLog.record({ customer: 'acme', provider: 'hubspot' });
  requestLog.record({ customer: 'acme', provider: 'salesforce', cache: 'miss' });
  requestLog.called(CALL);
  requestLog.called({ ...CALL, outcome: 'REMOTE_PROVIDER_TIMEOUT', status: undefined });
  tick(12);
  expect(records).toEqual([]);
  requestLog.close({ ...ANSWER, bytes: 512 });
  expect(records).toEqual([
    expect.objectContaining({
      api: 'graphql',
      operation: 'searchContacts',
      operationName: 'Find',
      customers: ['acme'],
      providers: ['hubspot', 'salesforce'],
      cache: ['miss'],
      status: 200,
      bytes: 512,
      calls: 2,
      ms: 12,
      method: 'POST',
      route: '/graphql',
    }),
  ]);
});

test.each([
  ['that contains an email address', 'ada@example.com'],
  ['that is an API key', 'cbk_0123456789abcdef_secret'],
  ['that is an admin key', 'cba_secret'],
  ['that is a customer token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.c2VjcmV0'],
  ['that is a webhook secret', 'whsec_c2VjcmV0'],
  ['that is too long', 'x'.repeat(256)],
])('a customer id %s is not logged', (_title, customer) => {
  const { requestLog, records } = open();
  requestLog.record({ customer });
  requestLog.record({ customer: 'x'.repeat(255) });
  requestLog.close(ANSWER);
  expect(records[0]?.customers).toEqual(['x'.repeat(255)]);
});

test('work that ended because the client has disconnected is marked, and is no error', () => {
  const { requestLog, records, log } = open();
  requestLog.failed(new AbandonedError());
  requestLog.close(ANSWER);
  expect(records).toEqual([expect.objectContaining({ clientClosed: true, errors: [] })]);
  expect(log.lines).toMatchObject([{ level: 'info', fields: { clientClosed: true } }]);
});

test('different operations of a batch are labelled as several, because a label has no list', () => {
  const { requestLog, records } = open();
  for (const operation of ['customer', 'customer', 'searchContacts'])
    requestLog.record({ operation });
  requestLog.close(ANSWER);
  expect(records[0]?.operation).toBe('several');
});

test.each([
  [
    'the status of its response',
    { remote: { code: 503, body: 'secret', headers: {} } },
    'status 503',
  ],
  [
    'the code of the system',
    { cause: Object.assign(new Error('secret'), { code: 'ENOTFOUND' }) },
    'ENOTFOUND',
  ],
])(
  'a failure of a provider is logged with %s, and with none of its texts',
  (_title, options, reason) => {
    const { requestLog, records } = open();
    const error = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'secret', options as object);
    requestLog.failed(error);
    requestLog.close(ANSWER);
    expect(records[0]?.errors).toEqual([
      { id: error.id, code: 'REMOTE_PROVIDER_UNAVAILABLE', reason },
    ]);
  },
);

test('an error that two operations share is logged once', () => {
  const { requestLog, records } = open();
  const error = new CrossbookError('NOT_FOUND', 'Nobody.');
  requestLog.failed(error);
  requestLog.failed(error);
  requestLog.close(ANSWER);
  expect(records[0]?.errors).toEqual([{ id: error.id, code: 'NOT_FOUND' }]);
});

test('a bug is logged with its cause and the id in the response; a rejection is not', () => {
  const { requestLog, log } = open();
  const cause = new TypeError('internals');
  const bug = new CrossbookError('INTERNAL_SERVER_ERROR', 'Masked.', { cause });
  requestLog.failed(new CrossbookError('NOT_FOUND', 'Nobody.'));
  requestLog.failed(bug);
  expect(log.lines).toEqual([
    {
      level: 'error',
      message: 'internal error',
      fields: expect.objectContaining({ errorId: bug.id, cause }),
    },
  ]);
});

test.each([
  ['of the caller', 'abc-123', 'abc-123'],
  ['that would break a line', 'a\nb', expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ['that is too long', 'x'.repeat(129), expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ['that is missing', null, expect.stringMatching(/^[0-9a-f-]{36}$/)],
])('a request id %s', (_title, requestId, expected) => {
  expect(open({ requestId }).requestLog.requestId).toEqual(expected);
});

test.each([
  [`00-${TRACE}-${CALLER}-01`, TRACE],
  [`01-${TRACE}-${CALLER}-01-more`, TRACE],
  [`ff-${TRACE}-${CALLER}-01`, undefined],
  [`00-${'0'.repeat(32)}-${CALLER}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['nonsense', undefined],
])('the trace of %s', (traceparent, expected) => {
  const { requestLog, records } = open({ traceparent });
  requestLog.close(ANSWER);
  if (expected) expect(records[0]?.traceId).toBe(expected);
  else expect(records[0]?.traceId).toMatch(/^(?!0af7)[0-9a-f]{32}$/);
});

test('a traceparent without the sampled flag is not recorded', () => {
  const parents: unknown[] = [];
  const startTrace = (parent: unknown) => {
    parents.push(parent);
    return { traceId: TRACE } as RequestTrace;
  };
  open({ traceparent: `00-${TRACE}-${CALLER}-00`, startTrace });
  open({ traceparent: `00-${TRACE}-${CALLER}-01`, startTrace });
  open({ startTrace });
  expect(parents).toEqual([{ traceId: TRACE, spanId: CALLER }, undefined]);
});

test('a request line is a warning if the error is not the caller’s', () => {
  const levels = (['NOT_FOUND', 'REMOTE_PROVIDER_TIMEOUT', 'INTERNAL_SERVER_ERROR'] as const).map(
    (code) => {
      const { requestLog, log } = open();
      requestLog.failed(new CrossbookError(code, 'Because.'));
      requestLog.close(ANSWER);
      return log.lines.at(-1)?.level;
    },
  );
  expect(levels).toEqual(['info', 'warn', 'warn']);
});

test('client input does not make a line long', () => {
  const { requestLog, log } = open();
  requestLog.record({ operationName: 'y'.repeat(10_000) });
  for (let n = 0; n < 1_000; n++) requestLog.record({ customer: `customer ${n}` });
  requestLog.close(ANSWER);
  expect(JSON.stringify(log.lines).length).toBeLessThan(2_000);
});

const CALL = {
  provider: 'hubspot',
  budget: 'general',
  outcome: 'answered',
  status: 200,
  ms: 3,
  waitedMs: 0,
} as const;
const ANSWER = { status: 200, bytes: undefined, caller: undefined, cost: 0 };

interface OpenOptions {
  readonly requestId?: string | null;
  readonly traceparent?: string;
  readonly startTrace?: Traces['start'];
}

function open({ startTrace, requestId, traceparent }: OpenOptions = {}) {
  const log = createFakeLog();
  const records: RequestRecord[] = [];
  let clock = 1_000;
  const openRequestLog = createRequestLogs({
    log,
    startTrace,
    clock: { now: () => clock },
    onDone: (record) => void records.push(record),
  });
  const headers = new IncomingHeaders({ 'x-request-id': requestId ?? undefined, traceparent });
  const requestLog = openRequestLog({ method: 'POST', route: '/graphql', headers });
  return { requestLog, log, records, tick: (ms: number) => (clock += ms) };
}
