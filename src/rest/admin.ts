import * as z from 'zod';
import { toWebOrigin } from '../domain/urls.ts';
import {
  type ApplicationAdmin,
  changeOrigins,
  createApplication,
  createKey,
  type KeyAdmin,
  listApplications,
  listKeys,
  revokeKey,
  rotateKey,
} from '../usecases/manage-applications.ts';
import { type Route, toRoute } from './operation.ts';
import { createRouter, toEndpoint } from './server.ts';

/**
 * The admin API below `/admin/`. It is documented in docs/operations.md instead of the OpenAPI document, which is for
 * callers with an API key.
 */
export function createAdminFace(store: AdminStore) {
  const endpoints = ADMIN_ROUTES.map((route) =>
    toEndpoint(route, (request) => route.run(store, request)),
  );
  return {
    ...createRouter(endpoints, 'There is nothing at this path of the operator’s.'),
    /** The paths of the admin API. */
    paths: /^\/admin\//,
  };
}

/** Works on all applications. */
interface AdminStore extends ApplicationAdmin, KeyAdmin {
  /** Wall-clock time. */
  now(): number;
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

const ADMIN_ROUTES: readonly Route<AdminStore>[] = [
  toRoute({
    id: 'listApplications',
    route: 'GET /admin/applications',
    input: {},
    handle: async (admin) => ({ applications: await listApplications(admin) }),
  }),
  toRoute({
    id: 'createApplication',
    route: 'POST /admin/applications',
    input: { body: z.strictObject({ name: z.string(), origins: origins.optional() }) },
    response: { status: 201 },
    handle: async (admin, { body }) => ({ application: await createApplication(admin, body) }),
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
];
