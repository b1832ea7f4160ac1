import { CrossbookError, type ErrorCode } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { Clock } from './clock.ts';
import type { Transport } from './http/transport.ts';

/** Tells of every call on the wire, after it. Where nobody listens it costs nothing. */
export function observed(transport: Sends, { clock, onCall, ...who }: Observer): Sends {
  if (!onCall) return transport;
  return {
    async send(call) {
      const startedAt = clock.now();
      const tell = (outcome: CallEvent['outcome'], status?: number) =>
        onCall({ ...who, budget: call.request.budget, outcome, status, ms: clock.now() - startedAt });
      try {
        const answer = await transport.send(call);
        tell('answered', answer.status);
        return answer;
      } catch (error) {
        tell(error instanceof CrossbookError ? error.code : 'INTERNAL_SERVER_ERROR');
        throw error;
      }
    },
  };
}

/** One call to a provider. Holds no path, body or secret: emails travel in those. */
export interface CallEvent {
  readonly provider: ProviderName;
  readonly connectionId: string;
  readonly budget: string;
  readonly outcome: 'answered' | ErrorCode;
  /** Of the answer, where there was one. */
  readonly status: number | undefined;
  readonly ms: number;
}

interface Observer extends Pick<CallEvent, 'provider' | 'connectionId'> {
  readonly clock: Clock;
  readonly onCall: ((event: CallEvent) => void) | undefined;
}

type Sends = Pick<Transport, 'send'>;
