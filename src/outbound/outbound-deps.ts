import type { Clock } from '../lib/clock.ts';
import type { Transport } from './http/transport.ts';
import type { OperationLimit } from './operation-limit.ts';
import type { OutboundOptions, OutboundSettings } from './outbound-options.ts';

/** The dependencies that all calls of the process share. */
export interface OutboundDeps extends Omit<OutboundOptions, 'settings'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: OutboundSettings;
  readonly transport: Pick<Transport, 'send'>;
  readonly waiting: OperationLimit;
}
