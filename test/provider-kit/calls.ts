import type { Person, Sandbox } from '@crossbook/sandbox';
import { describe, expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { KeysetRange, Provider, RecordPort } from '../../src/domain/provider.ts';
import { COMPANY } from '../../src/domain/records/company.ts';
import { CONTACT } from '../../src/domain/records/contact.ts';
import { DEAL } from '../../src/domain/records/deal.ts';
import type { CrmRecord, RecordKind } from '../../src/domain/records/record.ts';
import { createFakeWork } from '../support/fake-work.ts';
import { useSandboxPorts } from '../support/sandbox-ports.ts';
import { PLAIN, type SimulatedAccount } from './contact-port-subject.ts';

/** What every adapter promises of its calls, for each type of record that it has. */
export function testCalls(provider: Provider, crm: CallSubject): void {
  const { sandbox, ports } = useSandboxPorts();
  const kinds = [CONTACT, COMPANY, DEAL].filter(({ type }) => provider.crm?.records[type]);

  const open = (people: readonly Partial<Person>[] = PEOPLE, work = createFakeWork()) => {
    const account = crm.createAccount(sandbox(), people);
    return {
      account,
      work,
      ...ports.open(provider, account, { work, settings: { deadlineMs: DEADLINE_MS } }),
    };
  };
  const readAll = (port: RecordPort<CrmRecord>) => port.readList({ by: 'all' }, FORWARD, PLAIN);

  test('a burst of single look-ups is at most 16 calls, or as many as full batches need', async () => {
    const { callsPerBatch = 1 } = crm;
    // A CRM that needs a call for each email has a rate limit that a thousand would wait for.
    const count = callsPerBatch === 1 ? 1_000 : 10;
    const people = Array.from({ length: count }, (_, index) => ({ email: `p${index}@b.example` }));
    const { account, port } = open(people);
    const found = await Promise.all(people.map(({ email }) => port.findByKey([email], PLAIN)));
    expect(found.map((one) => [...one.values()].flat().length)).toEqual(people.map(() => 1));
    const batches = Math.ceil(count / (provider.crm?.lookupBatch ?? 1));
    expect(account.callCount()).toBeLessThanOrEqual(Math.max(16, batches * callsPerBatch));
  });

  describe.each(kinds)('a list of records of type $type', (kind) => {
    test.each(crm.limited)('pauses when the CRM says so: %j', async ({ answer, pauseMs }) => {
      const { account, crm: opened } = open();
      account.fail({ kind: 'answer', ...answer });
      const error = await failureOf(readAll(portOf(opened, kind)));
      expect(error.code).toBe('REMOTE_PROVIDER_RATE_LIMITED');
      expect(error.retryAfterMs).toBeGreaterThan(DEADLINE_MS);
      expect(error.retryAfterMs).toBeLessThanOrEqual(pauseMs);
      // The next call waits for the end of the pause, and is not sent before its deadline.
      const calls = account.callCount();
      const next = await failureOf(readAll(portOf(opened, kind)));
      expect(next.code).toBe('REMOTE_PROVIDER_RATE_LIMITED');
      expect(account.callCount()).toBe(calls);
    });

    test('fails without the token anywhere, and without data of records in its detail', async () => {
      const { account, crm: opened } = open();
      for (const fault of ['token-echoed', 'token-echoed-in-a-200']) {
        account.fail(fault);
        const error = await failureOf(readAll(portOf(opened, kind)));
        const shown = JSON.stringify([error.message, error.remote]);
        expect(shown).not.toContain(account.accessToken);
      }
      const person = { id: [], properties: SECRET_EMAIL, Email: SECRET_EMAIL };
      account.fail({ kind: 'answer', status: 200, body: { results: person, records: person } });
      const { code, message } = await failureOf(readAll(portOf(opened, kind)));
      expect(code).toBe('REMOTE_PROVIDER_BAD_RESPONSE');
      expect(message).not.toContain(SECRET_EMAIL);
    });

    test('ends when its client disconnects, and leaves its place to the next call', async () => {
      const { account, work, crm: opened } = open();
      account.fail({ kind: 'hang' });
      const reading = failureOf(readAll(portOf(opened, kind)));
      await expect.poll(() => account.callCount()).toBe(1);
      work.disconnect();
      expect((await reading).code).toBe('SERVICE_UNAVAILABLE');
      const { crm: other } = ports.open(provider, account);
      await readAll(portOf(other, kind));
    });
  });

  test('the state of the rate limit is read from the headers of a response', async () => {
    const { headers, status } = crm.limitHeaders;
    expect(
      provider.crm?.readRateLimitStatus({ status: 200, headers, body: '' }, 'general'),
    ).toEqual(status);
    expect(
      provider.crm?.readRateLimitStatus({ status: 200, headers: {}, body: '' }, 'general'),
    ).toBeUndefined();
  });
}

function portOf(
  crm: ReturnType<ReturnType<typeof useSandboxPorts>['ports']['open']>['crm'],
  kind: typeof CONTACT | typeof COMPANY | typeof DEAL,
): RecordPort<CrmRecord> {
  return crm.of(kind as RecordKind<CrmRecord>);
}

async function failureOf(work: Promise<unknown>): Promise<CrossbookError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof CrossbookError) return outcome;
  throw new Error(`No CrossbookError but ${JSON.stringify(outcome)} ${outcome}`);
}

const PEOPLE = [{ email: 'ada@whole.example', companyIndex: 1, dealIndexes: [1] }];
const SECRET_EMAIL = 'somebody.private@whole.example';
/** Shorter than the pauses. */
const DEADLINE_MS = 20_000;
const FORWARD: KeysetRange = { direction: 'forward', from: undefined, limit: 50 };

/** A CRM whose calls are tested. */
export interface CallSubject {
  createAccount(sandbox: Sandbox, people: readonly Partial<Person>[]): SimulatedAccount;
  /** The most calls of a look-up of a full batch of emails. Default: one. */
  readonly callsPerBatch?: number;
  /** Responses that reject a call for its rate limit, with the pause that the CRM wants. */
  readonly limited: readonly {
    readonly answer: {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    };
    readonly pauseMs: number;
  }[];
  readonly limitHeaders: {
    readonly headers: Readonly<Record<string, string>>;
    readonly status: {
      readonly remaining: number;
      readonly max: number;
      readonly intervalMs: number;
    };
  };
}
