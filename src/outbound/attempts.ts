import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess } from '../domain/provider.ts';
import type { RemoteAnswer, RemoteRequest } from '../domain/remote.ts';
import type { Clock } from './clock.ts';
import type { ObservedCall } from './events.ts';
import type { Transport } from './http/transport.ts';
import type { Breaker } from './pace/breaker.ts';
import type { Lane } from './pace/lane.ts';
import { readRetryAfter } from './pace/retry-after.ts';
import { redact } from './token/redaction.ts';
import type { Token, Tokens } from './token/tokens.ts';

/** One try: its turn in the lane, the wire, and what everybody learns from the answer. */
export async function attempt(
  deps: AttemptDeps,
  call: OutboundCall,
  isAgain: boolean,
): Promise<RemoteAnswer> {
  const { breaker } = deps;
  breaker.check();
  const turn = call.lane.enter(call.deadline, isAgain);
  let waitedMs = 0;
  if (turn) {
    const since = deps.clock.now();
    await turn;
    waitedMs = deps.clock.now() - since;
    // While it waited the token may have been renewed.
    call.token = deps.tokens.current() ?? call.token;
  }
  try {
    breaker.begin();
  } catch (error) {
    call.lane.leaveUnsent();
    throw error;
  }
  try {
    const answer = await deps.transport.send({
      origin: call.token.origin,
      request: call.request,
      headers: toHeaders(call),
      deadline: call.deadline,
      waitedMs,
      onCall: call.onCall,
    });
    breaker.end(!DOWN.has(answer.status));
    learn(deps, call, answer);
    return answer.status >= 200 && answer.status < 300 ? answer : redact(answer, [call.token.value]);
  } catch (error) {
    const code = error instanceof CrossbookError ? error.code : 'INTERNAL_SERVER_ERROR';
    breaker.end(code !== 'REMOTE_PROVIDER_UNAVAILABLE' && code !== 'REMOTE_PROVIDER_TIMEOUT');
    call.lane.leave();
    throw error;
  }
}

function learn({ access, clock }: AttemptDeps, { lane }: OutboundCall, answer: RemoteAnswer): void {
  const pauseMs =
    answer.status === TOO_MANY ? (readRetryAfter(answer, clock.now()) ?? lane.intervalMs) : undefined;
  lane.leave({ allowance: access.readAllowance(answer), pauseMs });
}

/** Ours come last: an adapter cannot speak for another connection. Nothing of the inbound request is known here. */
function toHeaders({ request, token }: OutboundCall): Record<string, string> {
  // To what is made by spread Node 20 adds a property in a microsecond, which is twenty times what it takes otherwise.
  const headers: Record<string, string> = Object.assign({}, FIXED_HEADERS, request.headers);
  if (request.body !== undefined) headers['content-type'] ??= 'application/json';
  headers['authorization'] = token.authorization;
  return headers;
}

export const FIXED_HEADERS = {
  'user-agent': 'crossbook',
  accept: 'application/json',
  'accept-encoding': 'gzip',
} as const;

const TOO_MANY = 429;

/** Somebody in front of the provider answers: the provider itself does not. */
const DOWN: ReadonlySet<number> = new Set([502, 503, 504, 521, 523, 524]);

export interface OutboundCall {
  readonly request: RemoteRequest;
  readonly lane: Lane;
  readonly deadline: number;
  /** The one that it was last sent with. */
  token: Token;
  readonly onCall: ObservedCall['onCall'];
}

export interface AttemptDeps {
  readonly access: Pick<ContactAccess, 'readAllowance'>;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly tokens: Pick<Tokens, 'current'>;
  readonly transport: { send(call: ObservedCall): ReturnType<Transport['send']> };
}
