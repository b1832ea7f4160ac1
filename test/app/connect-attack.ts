import type { ConnectWorld } from '../support/connect-world.ts';

export const HUBSPOT = { provider: 'hubspot' };

/** After this no stored data may change, except what is excluded. */
export type Mark = (options?: { readonly besides: 'links' }) => Promise<void>;

export type Attack = readonly [
  what: string,
  status: number,
  attack: (world: ConnectWorld, mark: Mark) => Promise<{ readonly status: number }>,
];
