import type { ProviderName } from '../../domain/provider-names.ts';
import type { Metrics } from './metrics.ts';

/** What other rooms know of themselves, asked for when it is scraped. */
export function watchRooms({ gauge }: Pick<Metrics, 'gauge'>, rooms: Rooms): void {
  gauge('crossbook_requests_running', 'Requests that are being answered.', () => [
    { value: rooms.requests().running },
  ]);
  gauge('crossbook_requests_turned_away_total', 'Requests that found no room.', () => [
    { value: rooms.requests().refused },
  ]);
  gauge('crossbook_lane_waiting', 'Calls that wait for their connection’s budget.', () =>
    byProvider(rooms.lanes(), ({ waiting }) => waiting),
  );
  gauge('crossbook_breakers_open', 'Connections whose provider is left alone after failures.', () =>
    byProvider(rooms.lanes(), ({ isBreakerOpen }) => Number(isBreakerOpen)),
  );
  gauge('crossbook_connections_in_memory', 'Connections whose state is kept.', () =>
    byProvider(rooms.lanes(), () => 1),
  );
  gauge('crossbook_database_connections', 'Of the pool.', () => {
    const { open, idle, waiting } = rooms.database() ?? {};
    return Object.entries({ open, idle, waiting }).flatMap(([state, value]) =>
      value === undefined ? [] : [{ labels: { state }, value }],
    );
  });
  gauge('crossbook_redis_connected', '1 while limits are shared, 0 while each process keeps its own.', () => {
    const isThere = rooms.redis();
    return isThere === undefined ? [] : [{ value: Number(isThere) }];
  });
}

function byProvider(lanes: readonly LaneCounts[], read: (lane: LaneCounts) => number) {
  const sums = new Map<ProviderName, number>();
  for (const lane of lanes) sums.set(lane.provider, (sums.get(lane.provider) ?? 0) + read(lane));
  return [...sums].map(([provider, value]) => ({ labels: { provider }, value }));
}

interface LaneCounts {
  readonly provider: ProviderName;
  readonly waiting: number;
  readonly isBreakerOpen: boolean;
}

interface Rooms {
  requests(): { readonly running: number; readonly refused: number };
  lanes(): readonly LaneCounts[];
  /** Undefined where there is no pool. */
  database(): { readonly open: number; readonly idle: number; readonly waiting: number } | undefined;
  /** Does it answer? Undefined where nothing is shared. */
  redis(): boolean | undefined;
}
