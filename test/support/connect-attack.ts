import type { ConnectWorld } from './connect-world.ts';

export const HUBSPOT = { provider: 'hubspot' };

/** From here on nothing of what is stored may change; besides: but for that. */
export type Mark = (options?: { readonly besides: 'links' }) => Promise<void>;

export type Attack = readonly [
  what: string,
  status: number,
  attack: (world: ConnectWorld, mark: Mark) => Promise<{ readonly status: number }>,
];
