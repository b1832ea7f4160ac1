import * as z from 'zod';
import type { OperatorViewDeps } from '../usecases/operator-views.ts';
import {
  listDeliveries,
  readAttention,
  readCustomerHistory,
  readUsage,
  searchCustomers,
  toWireNames,
} from '../usecases/operator-views.ts';
import { type Route, toRoute } from './operation.ts';

const applicationPath = z.strictObject({ application: z.string() });
const page = {
  cursor: z.string().max(2_000).optional(),
  page_size: z.number().int().min(1).max(200).optional(),
};

/** What the console shows of all applications, to read. */
export const VIEW_ROUTES: readonly Route<ViewStore>[] = [
  toRoute({
    id: 'readUsage',
    route: 'GET /admin/usage/hours',
    input: {
      query: z.strictObject({
        since: z.string().optional(),
        until: z.string().optional(),
        application: z.string().optional(),
        customer_id: z.string().optional(),
      }),
    },
    async handle(admin, { query: { customer_id: customerId, ...query } }) {
      return toWireNames(await readUsage(admin, { ...query, customerId }));
    },
  }),
  toRoute({
    id: 'readAttention',
    route: 'GET /admin/attention',
    input: {},
    handle: async (admin) => toWireNames(await readAttention(admin)),
  }),
  toRoute({
    id: 'readChecks',
    route: 'GET /admin/checks',
    input: {},
    handle: async (admin) => ({ checks: await admin.runChecks() }),
  }),
  toRoute({
    id: 'searchCustomers',
    route: 'GET /admin/applications/{application}/customers',
    input: {
      path: applicationPath,
      query: z.strictObject({
        ...page,
        prefix: z.string().max(200).optional(),
        status: z.enum(['connected', 'reauthorize', 'unauthorized']).optional(),
      }),
    },
    async handle(admin, { path, query: { page_size: size, ...query } }) {
      const { items, next } = await searchCustomers(admin, { ...path, ...query, size });
      const records = items.map(({ by, key, ...customer }) => toWireNames(customer));
      return { pagination: { next }, records };
    },
  }),
  toRoute({
    id: 'readCustomerHistory',
    route: 'GET /admin/applications/{application}/customers/{customer_id}/history',
    input: { path: z.strictObject({ application: z.string(), customer_id: z.string() }) },
    async handle(admin, { path: { application, customer_id: customerId } }) {
      const { links, runs } = await readCustomerHistory(admin, { application, customerId });
      return toWireNames({
        links: links.map(({ status, failure, purpose, ...link }) => ({
          ...link,
          status: status.toLowerCase(),
          failure: failure?.toLowerCase() ?? null,
          purpose: purpose.toLowerCase(),
        })),
        runs: runs.map(({ kind, ...run }) => ({ ...run, kind: kind.toLowerCase() })),
      });
    },
  }),
  toRoute({
    id: 'listDeliveries',
    route: 'GET /admin/applications/{application}/deliveries',
    input: {
      path: applicationPath,
      query: z.strictObject({
        page_size: page.page_size,
        cursor: z.iso.datetime().optional(),
        endpoint_id: z.uuid().optional(),
        event_id: z.uuid().optional(),
      }),
    },
    async handle(admin, { path, query }) {
      const { endpoint_id: endpointId, event_id: eventId, page_size: size, cursor } = query;
      const deliveriesQuery = { ...path, endpointId, eventId, size, cursor };
      const { items, pending, next } = await listDeliveries(admin, deliveriesQuery);
      return { pagination: { next }, records: toWireNames(items), pending: toWireNames(pending) };
    },
  }),
];

export interface ViewStore extends OperatorViewDeps {
  /** What `crossbook doctor` says. */
  runChecks(): Promise<readonly Check[]>;
}

interface Check {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}
