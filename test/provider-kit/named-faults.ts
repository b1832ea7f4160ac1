import type { Sandbox } from '@crossbook/sandbox';
import { expect, test } from 'vitest';
import type { CrossbookError, ErrorCode } from '../../src/domain/errors.ts';
import type { Provider } from '../../src/domain/provider.ts';
import { byDomain } from '../support/by-domain.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import { useSandboxPorts } from '../support/sandbox-ports.ts';
import { PLAIN, type SimulatedAccount } from './contact-port-subject.ts';

/** The error or result of each named fault of the sandbox, through the product's own HTTP client. */
export function testNamedFaults(provider: Provider, of: Simulated, outcomes: Outcomes): void {
  const { sandbox, ports } = useSandboxPorts();

  const meet = async (fault: string, at: Outcome['at'], isStatic = false): Promise<Met> => {
    const operation = of.operations[at];
    const account = of.createAccount(sandbox(), [{ email: 'a@here.example' }]);
    const { port, credentials } = ports.open(provider, account, {
      settings: { deadlineMs: DEADLINE_MS },
      clock: createHastyClock(DEADLINE_MS),
      random: () => 0,
      ...(isStatic && { credentials: { type: 'token', value: account.accessToken } }),
    });
    if (at === 'token') account.expireAccessToken();
    account.fail(fault, { operation, times: 99 });
    const lookup = async () =>
      (await port.findByKey(['a@here.example'], PLAIN)).get('a@here.example');
    const work = at === 'domain' ? port.count(byDomain('here.example')) : lookup();
    const outcome = await work.catch((error: unknown) => error);
    return {
      outcome,
      status: credentials.calls.refused.length > 0 ? 'reauthorize' : 'connected',
      calls: account.callCount(operation),
      account,
    };
  };

  test.each(Object.entries(outcomes))(
    '%s gives %j',
    async (fault, { at, isFinal: _, ...expected }) => {
      const { outcome, status, calls, account } = await meet(fault, at);
      if (expected.code === 'found') {
        expect(outcome).toMatchObject([{ remoteId: account.recordId(1) }]);
        expect({ status, calls }).toEqual({ status: 'connected', calls: 1 });
        return;
      }
      const { code, origin, retryAfterMs: waitMs, message, remote } = outcome as CrossbookError;
      expect({ code, origin, status, calls, waitMs }).toEqual(expected);
      const shown = JSON.stringify([message, remote]);
      for (const secret of [
        account.accessToken,
        account.refreshToken,
        account.clientSecret,
        COOKIE,
      ])
        expect(shown).not.toContain(secret);
    },
  );

  test.each(
    Object.entries(outcomes).filter(([, { at, code }]) => at !== 'token' && code !== 'found'),
  )(
    'with an expired token that cannot be refreshed, %s marks the connection for reauthorization only if it is final: %j',
    async (fault, { at, code, isFinal = false }) => {
      const { outcome, status, calls } = await meet(fault, at, true);
      expect(outcome).toMatchObject({ code });
      expect(status).toBe(isFinal ? 'reauthorize' : 'connected');
      if (isFinal) expect(calls).toBe(1);
    },
  );

  test('every named fault of the sandbox has an expected outcome', () => {
    expect(Object.keys(outcomes).sort()).toEqual([...of.names(sandbox())].sort());
  });
}

/** By default one call, an unchanged connection, and an error of the provider. */
export function comesTo(code: Outcome['code'], more: Partial<Outcome> = {}): Outcome {
  return {
    at: 'lookup',
    code,
    origin: 'remote-provider',
    status: 'connected',
    calls: 1,
    waitMs: undefined,
    ...more,
  };
}

const DEADLINE_MS = 10_000;
/** In the cookies of both CRMs. */
const COOKIE = 'cookie-of-the-sandbox';

export type Outcomes = Readonly<Record<string, Outcome>>;

interface Outcome {
  /** The call that meets the fault: a lookup, a page of a domain, or the refresh of an expired token. */
  readonly at: 'lookup' | 'domain' | 'token';
  readonly code: ErrorCode | 'found';
  readonly origin: 'remote-provider' | 'crossbook';
  readonly status: 'connected' | 'reauthorize';
  /** How often that call was made. */
  readonly calls: number;
  /** The response means that the token is revoked: if it cannot be refreshed, the customer has to reconnect. */
  readonly isFinal?: boolean;
  /** The wait time that the response states or implies. */
  readonly waitMs: number | undefined;
}

interface Simulated {
  /** The sandbox's names for these operations. */
  readonly operations: Readonly<Record<Outcome['at'], string>>;
  createAccount(sandbox: Sandbox, people: readonly { readonly email: string }[]): SimulatedAccount;
  names(sandbox: Sandbox): readonly string[];
}

interface Met extends Pick<Outcome, 'status' | 'calls'> {
  readonly outcome: unknown;
  readonly account: SimulatedAccount;
}
