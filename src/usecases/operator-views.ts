import type { ConnectionStatus } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { CustomerPosition, OperatorViews } from '../domain/operator-views.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { type ApplicationAdmin, findApplication } from './manage-applications.ts';
import { readRange, toPeriod, type UsageQuery } from './usage.ts';

/** Totals by hour: of all applications, of one, or of one customer. */
export async function readUsage(deps: OperatorViewDeps, query: TotalsQuery) {
  const range = readRange(deps, query);
  const application =
    query.application === undefined ? undefined : await findApplication(deps, query.application);
  if (query.customerId === undefined) {
    const hours = await deps.views.usageOfApplications({
      ...range,
      applicationId: application?.id,
    });
    return { ...toPeriod(range), hours };
  }
  if (!application)
    throw new CrossbookError('BAD_REQUEST', 'customer_id needs the application: give it, too.');
  const { customerId } = query;
  const hours = await deps.views.usageOfCustomer({
    ...range,
    applicationId: application.id,
    customerId,
  });
  return { ...toPeriod(range), hours };
}

/** What needs attention, over all applications. */
export async function readAttention({ views }: OperatorViewDeps) {
  const [connections, syncs, endpoints] = await Promise.all([
    views.connectionsToRenew(MAX_ATTENTION),
    views.syncsBehind(MAX_ATTENTION),
    views.endpointsFailing(MAX_ATTENTION),
  ]);
  return { connections, syncs, endpoints };
}

/** The rows of each list. */
export const MAX_ATTENTION = 200;

/** Customers by the beginning of their id or name, or by the status of a connection. */
export async function searchCustomers(
  deps: OperatorViewDeps,
  { application, prefix = '', status, cursor, size = 50 }: CustomersQuery,
) {
  const { id: applicationId } = await findApplication(deps, application);
  const after = cursor === undefined ? undefined : readPosition(cursor);
  const found = await deps.views.searchCustomers({
    applicationId,
    prefix: prefix.trim(),
    status,
    after,
    limit: size + 1,
  });
  const items = found.slice(0, size);
  const last = found.length > size ? items.at(-1) : undefined;
  return { items, next: last ? toCursor(last) : null };
}

/** It holds nothing but what the page shows, so it is not signed. */
function toCursor({ by, key, customerId }: CustomerPosition): string {
  return Buffer.from(JSON.stringify([by, key, customerId])).toString('base64url');
}

function readPosition(cursor: string): CustomerPosition {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  const [by, key, customerId] = Array.isArray(value) ? value : [];
  if ((by === 'id' || by === 'name') && typeof key === 'string' && typeof customerId === 'string')
    return { by, key, customerId };
  throw new CrossbookError('BAD_REQUEST', 'The cursor is not one of this list.');
}

/** What a customer's page shows in addition to the ordinary API. */
export async function readCustomerHistory(
  deps: OperatorViewDeps,
  { application, customerId }: { readonly application: string; readonly customerId: string },
) {
  const { id: applicationId } = await findApplication(deps, application);
  const [links, runs] = await Promise.all([
    deps.views.linksOf({ applicationId, customerId }, MAX_LINKS),
    deps.views.syncRunsOf({ applicationId, customerId }, MAX_RUNS_SHOWN),
  ]);
  return { links, runs };
}

const MAX_LINKS = 50;
const MAX_RUNS_SHOWN = 200;

/** How an endpoint responded, or how all endpoints responded to one event. */
export async function listDeliveries(deps: OperatorViewDeps, query: DeliveriesQuery) {
  const { application, endpointId, eventId, cursor, size = 50 } = query;
  const { id: applicationId } = await findApplication(deps, application);
  if ((endpointId === undefined) === (eventId === undefined))
    throw new CrossbookError('BAD_REQUEST', 'Give either endpoint_id or event_id.');
  const before = cursor === undefined ? undefined : new Date(cursor);
  const [found, pending] = await Promise.all([
    deps.views.responses({ applicationId, endpointId, eventId, before, limit: size + 1 }),
    endpointId === undefined || before !== undefined
      ? []
      : deps.views.pendingDeliveries({ applicationId, endpointId }, MAX_PENDING),
  ]);
  const items = found.slice(0, size);
  const next = found.length > size ? (items.at(-1)?.createdAt.toISOString() ?? null) : null;
  return { items, pending, next };
}

const MAX_PENDING = 50;

/** Whether a value is an object of camelCase names. */
export function toWireNames(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toWireNames);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [toSnake(name), toWireNames(one)]),
  );
}

/** Names of tallies have spaces, and stay as they are. */
function toSnake(name: string): string {
  return name.includes(' ') ? name : name.replaceAll(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`);
}

interface TotalsQuery extends UsageQuery {
  readonly application?: string | undefined;
  readonly customerId?: string | undefined;
}

interface CustomersQuery {
  readonly application: string;
  readonly prefix?: string | undefined;
  readonly status?: ConnectionStatus | undefined;
  readonly cursor?: string | undefined;
  readonly size?: number | undefined;
}

interface DeliveriesQuery {
  readonly application: string;
  readonly endpointId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly size?: number | undefined;
}

export interface OperatorViewDeps extends Pick<ApplicationAdmin, 'listApplications'> {
  readonly views: OperatorViews;
  /** Wall-clock time. */
  now(): number;
}
