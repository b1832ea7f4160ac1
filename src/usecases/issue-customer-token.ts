import {
  type Caller,
  DEFAULT_TOKEN_SECONDS,
  MAX_TOKEN_SECONDS,
  type TokenRequest,
} from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { ProviderName } from '../domain/provider-names.ts';

/** A token for the frontend of ONE customer: it reads this customer and its contacts, and soon expires. */
export function issueCustomerToken(deps: IssueTokenDeps, input: IssueTokenInput): Promise<IssuedToken> {
  return deps.withSpan('issueCustomerToken', () => issue(deps, input));
}

async function issue(deps: IssueTokenDeps, input: IssueTokenInput): Promise<IssuedToken> {
  if (deps.requireCaller().customer) {
    throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may issue tokens.');
  }
  const { customerId } = input;
  const expiresAt = new Date(deps.wall() + readSeconds(input.expiresInSeconds) * 1_000);
  // Whole seconds are all that a token can say.
  expiresAt.setUTCMilliseconds(0);
  const providers = input.providers ? [...new Set(input.providers)] : undefined;
  const token = await deps.signToken({ customerId, expiresAt, providers });
  if (token !== undefined) return { token, expiresAt: expiresAt.toISOString() };
  throw new CrossbookError('NOT_FOUND', `There is no customer ${JSON.stringify(customerId)}.`);
}

function readSeconds(seconds: number | null | undefined): number {
  if (seconds === null || seconds === undefined) return DEFAULT_TOKEN_SECONDS;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_TOKEN_SECONDS) return seconds;
  throw new CrossbookError('BAD_REQUEST', `A token lives for 1 to ${MAX_TOKEN_SECONDS} seconds.`);
}

interface IssueTokenInput {
  readonly customerId: string;
  /** Absent: an hour. */
  readonly expiresInSeconds?: number | null | undefined;
  /** Absent: all of the customer's providers. */
  readonly providers?: readonly ProviderName[] | null | undefined;
}

interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
}

interface IssueTokenDeps extends Tracer {
  requireCaller(): Caller;
  wall(): number;
  /** Undefined where the caller's application has no such customer. */
  signToken(request: TokenRequest): Promise<string | undefined>;
}
