import * as z from 'zod';
import { createKey, listKeys, revokeKey, rotateKey } from '../../usecases/manage-applications.ts';
import { jsonResponse } from '../answers.ts';
import { type AdminOperation, defineAdminOperation } from './operation.ts';
import { applicationPath, keyPath, NO_QUERY, NOTHING } from './shapes.ts';

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
