import type { LookupsResult } from '../commands/lookups.ts';
import { toTable } from './throughput-table.ts';

export function toLookupsTable({ count, tiers }: LookupsResult): string {
  const head = [
    `${count.toLocaleString('en')} look-ups`,
    'client',
    'seconds',
    'CRM calls',
    '429s',
    'Crossbook is faster by',
  ];
  const rows = tiers.flatMap((tier) =>
    CLIENTS.map(([name, title]) => {
      const { seconds, calls, refused } = tier[name];
      return [
        name === 'crossbook' ? `${tier.perTenSeconds} calls in 10 s (${tier.plan})` : '',
        title,
        seconds.toFixed(2),
        calls.toLocaleString('en'),
        refused.toLocaleString('en'),
        name === 'crossbook' ? '' : `${(seconds / tier.crossbook.seconds).toFixed(0)} ×`,
      ];
    }),
  );
  return toTable(head, rows);
}

const CLIENTS = [
  ['crossbook', 'Crossbook'],
  ['backOff', 'one call each, backing off'],
  ['paceItself', 'one call each, pacing itself'],
] as const;
