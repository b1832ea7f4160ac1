import { useConsole, useLoad } from '../../state.tsx';
import type { Connection, History } from '../../types.ts';

export interface OfCustomer {
  readonly applicationId: string;
  readonly customerId: string;
}

export interface WithConnections extends OfCustomer {
  readonly connections: readonly Connection[];
}

/** The path of a customer in the REST API. */
export function toPath(customerId: string, rest = ''): string {
  return `/customers/${encodeURIComponent(customerId)}${rest}`;
}

export function useHistory({ applicationId, customerId }: OfCustomer) {
  const { api } = useConsole();
  const path = `/applications/${applicationId}${toPath(customerId, '/history')}`;
  return useLoad(`history ${path}`, () => api.admin<History>('GET', path));
}
