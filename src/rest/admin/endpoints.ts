import * as z from 'zod';
import { toWebOrigin } from '../../domain/urls.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
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
} from '../../usecases/manage-applications.ts';
import { type RawInput, readInput } from '../input/read-input.ts';
import type { InputParts } from '../operation.ts';
import { jsonResponse } from '../responses.ts';

/** One thing that the operator does: its schema checks what arrives, and types `handle`. */
function defineAdminOperation<Parts extends InputParts>(definition: Definition<Parts>): AdminOperation {
  const { id, method, path, input, handle } = definition;
  return {
    ...{ id, method, path },
    run: async (admin, arrival) => handle(admin, await readInput(input, arrival)),
  };
}

export interface AdminOperation extends Facts {
  run(admin: AdminStore, arrival: RawInput): Promise<HttpResponse>;
}

/** Over all applications. */
export interface AdminStore extends ApplicationAdmin, KeyAdmin {
  /** By the wall clock. */
  now(): number;
}

interface Facts {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

interface Definition<Parts extends InputParts> extends Facts {
  readonly input: z.ZodObject<Parts>;
  handle(admin: AdminStore, input: z.output<z.ZodObject<Parts>>): Promise<HttpResponse>;
}

/** Of every operation that takes no query. */
const NO_QUERY = { query: z.strictObject({}), headers: z.object({}) };
export const NOTHING = { ...NO_QUERY, body: z.undefined() };

/** Its id, or its name where no other has it. */
const applicationPath = z.strictObject({ application: z.string() });
const keyPath = z.strictObject({ key_id: z.string() });

export const origins = z
  .array(
    z
      .string()
      .refine((text) => toWebOrigin(text) !== undefined, {
        error: 'must be a scheme and a host, such as https://app.example',
      })
      .transform((text) => toWebOrigin(text) ?? text),
  )
  .max(100);

export const APPLICATION_OPERATIONS: readonly AdminOperation[] = [
  defineAdminOperation({
    id: 'listApplications',
    method: 'GET',
    path: '/admin/applications',
    input: z.object({ ...NOTHING, path: z.strictObject({}) }),
    handle: async (admin) => jsonResponse({ applications: await listApplications(admin) }),
  }),
  defineAdminOperation({
    id: 'createApplication',
    method: 'POST',
    path: '/admin/applications',
    input: z.object({
      ...NO_QUERY,
      path: z.strictObject({}),
      body: z.strictObject({ name: z.string(), origins: origins.optional() }),
    }),
    handle: async (admin, { body }) =>
      jsonResponse({ application: await createApplication(admin, body) }, {}, { status: 201 }),
  }),
  defineAdminOperation({
    id: 'changeOrigins',
    method: 'POST',
    path: '/admin/applications/{application}/origins',
    input: z.object({
      ...NO_QUERY,
      path: applicationPath,
      body: z.strictObject({ add: origins.default([]), remove: origins.default([]) }),
    }),
    handle: async (admin, { path: { application }, body: { add, remove } }) =>
      jsonResponse({ application: await changeOrigins(admin, { application, added: add, removed: remove }) }),
  }),
];

export const KEY_OPERATIONS: readonly AdminOperation[] = [
  defineAdminOperation({
    id: 'listKeys',
    method: 'GET',
    path: '/admin/applications/{application}/keys',
    input: z.object({ ...NOTHING, path: applicationPath }),
    async handle(admin, { path: { application } }) {
      const keys = await listKeys(admin, { application, now: admin.now() });
      return jsonResponse({
        keys: keys.map(({ createdAt, revokedAt, ...key }) => ({
          ...key,
          created_at: createdAt,
          revoked_at: revokedAt,
        })),
      });
    },
  }),
  defineAdminOperation({
    id: 'createKey',
    method: 'POST',
    path: '/admin/applications/{application}/keys',
    input: z.object({
      ...NO_QUERY,
      path: applicationPath,
      body: z.strictObject({ name: z.string().optional() }).optional(),
    }),
    async handle(admin, { path, body }) {
      const { id, key, application } = await createKey(admin, { ...path, name: body?.name });
      return jsonResponse({ id, key, application_id: application.id }, {}, { status: 201 });
    },
  }),
  defineAdminOperation({
    id: 'rotateKey',
    method: 'POST',
    path: '/admin/keys/{key_id}/rotate',
    input: z.object({
      ...NO_QUERY,
      path: keyPath,
      body: z.strictObject({ overlap_hours: z.int().min(0).max(9_999).optional() }).optional(),
    }),
    async handle(admin, { path, body }) {
      const given = { id: path.key_id, overlapHours: body?.overlap_hours };
      const { oldEndsAt, ...fresh } = await rotateKey(admin, given);
      return jsonResponse({ ...fresh, old_ends_at: oldEndsAt }, {}, { status: 201 });
    },
  }),
  defineAdminOperation({
    id: 'revokeKey',
    method: 'POST',
    path: '/admin/keys/{key_id}/revoke',
    input: z.object({ ...NOTHING, path: keyPath }),
    async handle(admin, { path: { key_id: id } }) {
      await revokeKey(admin, id);
      return jsonResponse({ id, revoked: true });
    },
  }),
];
