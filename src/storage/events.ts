import { and, desc, eq, sql } from 'drizzle-orm';
import type { EventStore } from '../domain/webhook.ts';
import { isStorable } from '../lib/is-storable.ts';
import { events } from './connect-schema.ts';
import type { Engine } from './engine/engine.ts';

/** The function that it returns opens the events of one application. */
export function createEvents({ repeatable, orm }: Engine): (applicationId: string) => EventStore {
  return (applicationId) => ({
    list: async ({ customerId, after, limit }) => {
      if (customerId !== undefined && !isStorable(customerId)) return [];
      return repeatable(() =>
        orm
          .select()
          .from(events)
          .where(
            and(
              eq(events.applicationId, applicationId),
              customerId === undefined ? undefined : eq(events.customerId, customerId),
              after &&
                sql`(${events.createdAt}, ${events.id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
            ),
          )
          .orderBy(desc(events.createdAt), desc(events.id))
          .limit(limit),
      );
    },
  });
}
