import * as z from 'zod';
import type { AuditStore } from '../domain/operator.ts';
import { toWebOrigin } from '../domain/urls.ts';
import type { UsageCounts } from '../domain/usage.ts';
import { openAllowance, RESPONSE_BOUNDS } from '../request/allowance.ts';
import {
  type ApplicationAdmin,
  changeOrigins,
  createApplication,
  createKey,
  deleteApplication,
  type KeyAdmin,
  listApplications,
  listKeys,
  renameApplication,
  revokeKey,
  rotateKey,
} from '../usecases/manage-applications.ts';
import {
  MAX_ROWS,
  type ReadUsageDeps,
  readUsageByApplication,
  readUsageByCustomer,
  readUsageByHour,
} from '../usecases/usage.ts';
import { VIEW_ROUTES, type ViewStore } from './admin-views.ts';
import { toText } from './console-access.ts';
import { type Route, toRoute } from './operation.ts';
import { createRouter, toEndpoint } from './rest-server.ts';

/**
 * The admin API below `/admin/`. It is documented in docs/admin-api.md instead of the OpenAPI document, which is for
 * callers with an API key.
 */
export function createAdminApi(store: AdminStore) {
  const endpoints = [...ADMIN_ROUTES, ...VIEW_ROUTES].map((route) =>
    toEndpoint(route, async (request, { operator }) => {
      // The key itself has no session: the request log has its changes.
      if (operator && route.method !== 'GET') {
        const { application, key_id: key } = request.path;
        await store.audit.add({
          ...operator,
          action: route.id,
          subject: toText(key ?? application),
        });
      }
      return route.run(store, request, openAllowance(RESPONSE_BOUNDS.caller));
    }),
  );
  return {
    ...createRouter(endpoints, { notFound: () => 'No such admin endpoint.' }),
    /** The paths of the admin API. */
    paths: /^\/admin\//,
  };
}

/** Works on all applications. */
interface AdminStore extends ApplicationAdmin, KeyAdmin, ReadUsageDeps, ViewStore {
  readonly audit: AuditStore;
}

/** By id, or by unique name. */
const applicationPath = z.strictObject({ application: z.string() });
const keyPath = z.strictObject({ key_id: z.string() });

const origins = z
  .array(
    z
      .string()
      .refine((text) => toWebOrigin(text) !== undefined, {
        error: 'must be a scheme and a host, such as https://app.example',
      })
      .transform((text) => toWebOrigin(text) ?? text),
  )
  .max(100);

const period = { since: z.string().optional(), until: z.string().optional() };
const rows = { first: z.number().int().min(1).max(MAX_ROWS).optional() };

/** In the form of REST. */
function toWireCounts({ providerCalls, ...counts }: UsageCounts) {
  return { ...counts, provider_calls: providerCalls };
}

export const ADMIN_ROUTES: readonly Route<AdminStore>[] = [
  toRoute({
    id: 'listApplications',
    route: 'GET /admin/applications',
    input: {},
    async handle(admin) {
      const applications = await listApplications(admin);
      return {
        applications: applications.map(({ deletedAt, ...application }) => ({
          ...application,
          ...(deletedAt && { deleted_at: deletedAt }),
        })),
      };
    },
  }),
  toRoute({
    id: 'createApplication',
    route: 'POST /admin/applications',
    input: { body: z.strictObject({ name: z.string(), origins: origins.optional() }) },
    response: { status: 201 },
    handle: async (admin, { body }) => ({ application: await createApplication(admin, body) }),
  }),
  toRoute({
    id: 'renameApplication',
    route: 'POST /admin/applications/{application}/rename',
    input: { path: applicationPath, body: z.strictObject({ name: z.string() }) },
    handle: async (admin, { path, body }) => ({
      application: await renameApplication(admin, { ...path, ...body }),
    }),
  }),
  toRoute({
    id: 'deleteApplication',
    route: 'POST /admin/applications/{application}/delete',
    input: {
      path: applicationPath,
      body: z.strictObject({ confirm: z.string().optional() }).optional(),
    },
    response: { status: 202 },
    async handle(admin, { path, body }) {
      const { id, name, webhookEndpoints, ...stored } = await deleteApplication(admin, {
        ...path,
        ...body,
      });
      return { deleting: { id, name, ...stored, webhook_endpoints: webhookEndpoints } };
    },
  }),
  toRoute({
    id: 'changeOrigins',
    route: 'POST /admin/applications/{application}/origins',
    input: {
      path: applicationPath,
      body: z.strictObject({ add: origins.default([]), remove: origins.default([]) }),
    },
    handle: async (admin, { path, body: { add: added, remove: removed } }) => ({
      application: await changeOrigins(admin, { ...path, added, removed }),
    }),
  }),
  toRoute({
    id: 'listKeys',
    route: 'GET /admin/applications/{application}/keys',
    input: { path: applicationPath },
    async handle(admin, { path }) {
      const keys = await listKeys(admin, { ...path, now: admin.now() });
      return {
        keys: keys.map(({ createdAt, revokedAt, ...key }) => ({
          ...key,
          created_at: createdAt,
          revoked_at: revokedAt,
        })),
      };
    },
  }),
  toRoute({
    id: 'createKey',
    route: 'POST /admin/applications/{application}/keys',
    input: {
      path: applicationPath,
      body: z.strictObject({ name: z.string().optional() }).optional(),
    },
    response: { status: 201 },
    async handle(admin, { path, body }) {
      const { id, key, application } = await createKey(admin, { ...path, ...body });
      return { id, key, application_id: application.id };
    },
  }),
  toRoute({
    id: 'rotateKey',
    route: 'POST /admin/keys/{key_id}/rotate',
    input: {
      path: keyPath,
      body: z.strictObject({ overlap_hours: z.int().min(0).max(9_999).optional() }).optional(),
    },
    response: { status: 201 },
    async handle(admin, { path, body }) {
      const key = { id: path.key_id, overlapHours: body?.overlap_hours };
      const { oldEndsAt, ...fresh } = await rotateKey(admin, key);
      return { ...fresh, old_ends_at: oldEndsAt };
    },
  }),
  toRoute({
    id: 'revokeKey',
    route: 'POST /admin/keys/{key_id}/revoke',
    input: { path: keyPath },
    async handle(admin, { path: { key_id: id } }) {
      await revokeKey(admin, id);
      return { id, revoked: true };
    },
  }),
  toRoute({
    id: 'listAudit',
    route: 'GET /admin/audit',
    input: {
      query: z.strictObject({
        cursor: z.uuid().optional(),
        page_size: z.number().int().min(1).max(MAX_ROWS).optional(),
      }),
    },
    async handle(admin, { query: { cursor, page_size: size = 100 } }) {
      const found = await admin.audit.list({ before: cursor, limit: size + 1 });
      const entries = found.slice(0, size);
      return {
        pagination: { next: found.length > size ? (entries.at(-1)?.id ?? null) : null },
        entries: entries.map((entry) => ({
          id: entry.id,
          action: entry.action,
          session_id: entry.sessionId,
          application_id: entry.applicationId,
          customer_id: entry.customerId,
          subject: entry.subject,
          created_at: entry.createdAt.toISOString(),
        })),
      };
    },
  }),
  toRoute({
    id: 'readUsageByApplication',
    route: 'GET /admin/usage',
    input: { query: z.strictObject({ ...period, ...rows }) },
    async handle(admin, { query }) {
      const { applications, ...found } = await readUsageByApplication(admin, query);
      return {
        ...found,
        applications: applications.map(({ id, name, ...counts }) => ({
          id,
          name,
          ...toWireCounts(counts),
        })),
      };
    },
  }),
  toRoute({
    id: 'readUsageByCustomer',
    route: 'GET /admin/applications/{application}/usage/customers',
    input: { path: applicationPath, query: z.strictObject({ ...period, ...rows }) },
    async handle(admin, { path, query }) {
      const { customers, ...found } = await readUsageByCustomer(admin, { ...path, ...query });
      return {
        ...found,
        customers: customers.map(({ customerId, ...counts }) => ({
          customer_id: customerId,
          ...toWireCounts(counts),
        })),
      };
    },
  }),
  toRoute({
    id: 'readUsageByHour',
    route: 'GET /admin/applications/{application}/usage/hours',
    input: {
      path: applicationPath,
      query: z.strictObject({ ...period, customer_id: z.string().optional() }),
    },
    async handle(admin, { path, query: { customer_id: customerId, ...query } }) {
      const usageQuery = { ...path, ...query, customerId };
      const { hours, ...found } = await readUsageByHour(admin, usageQuery);
      return {
        ...found,
        hours: hours.map(({ hour, ...counts }) => ({ hour, ...toWireCounts(counts) })),
      };
    },
  }),
];
