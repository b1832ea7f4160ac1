import * as z from 'zod';
import { changeOrigins, createApplication, listApplications } from '../../usecases/manage-applications.ts';
import { jsonResponse } from '../answers.ts';
import { type AdminOperation, defineAdminOperation } from './operation.ts';
import { applicationPath, NO_QUERY, NOTHING, origins } from './shapes.ts';

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
