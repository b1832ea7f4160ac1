import type { ProviderName } from '../domain/provider-names.ts';
import type { ProviderCall } from '../domain/request-log.ts';
import type { Clock } from '../lib/clock.ts';
import { codeOf } from './failures.ts';
import type { Call, Transport } from './http/transport.ts';

/** Tells of every call on the wire, after it: the process, and the request that it was made for. */
export function withCallEvents(
  transport: Pick<Transport, 'send'>,
  { clock, onCall, provider, connectionId }: Observer,
): Sends {
  return {
    async send(call) {
      const startedAt = clock.now();
      const tell = (outcome: CallEvent['outcome'], status?: number) => {
        const { waitedMs = 0, request } = call;
        const ms = clock.now() - startedAt;
        const { budget } = request;
        const event = { provider, connectionId, budget, outcome, status, ms, waitedMs };
        onCall?.(event);
        call.onCall?.(event);
      };
      try {
        const answer = await transport.send(call);
        tell('answered', answer.status);
        return answer;
      } catch (error) {
        tell(codeOf(error));
        throw error;
      }
    },
  };
}

export interface CallEvent extends ProviderCall {
  /** Undefined while there is none yet: a code is exchanged. */
  readonly connectionId: string | undefined;
}

/** Look-ups of emails that travelled in one call. */
export interface LookupEvent {
  readonly provider: ProviderName;
  readonly emails: number;
}

interface Observer extends Pick<CallEvent, 'provider' | 'connectionId'> {
  readonly clock: Clock;
  readonly onCall: ((event: CallEvent) => void) | undefined;
}

interface Sends {
  send(call: ObservedCall): ReturnType<Transport['send']>;
}

export interface ObservedCall extends Call {
  readonly waitedMs?: number;
  readonly onCall?: ((call: ProviderCall) => void) | undefined;
}
