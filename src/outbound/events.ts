import type { ErrorCode } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';

/** One try to call a provider, for whoever counts and logs. Holds no path, body or secret: emails travel in those. */
export interface CallEvent {
  readonly provider: ProviderName;
  readonly connectionId: string;
  readonly budget: string;
  readonly outcome: 'answered' | ErrorCode;
  /** Of the answer, where there was one. */
  readonly status: number | undefined;
  readonly ms: number;
}
