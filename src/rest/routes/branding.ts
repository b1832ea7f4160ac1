import { branding, brandingChange } from '../../domain/branding.ts';
import { readBranding, updateBranding } from '../../usecases/branding.ts';
import { defineOperation } from '../operation.ts';
import { EXAMPLE_MOMENT, fromWire, toSchema, toWire } from '../schemas.ts';

const BRANDING = {
  description: 'The branding.',
  schema: toSchema(branding, 'response'),
  example: { display_name: 'Acme Support', accent_color: '#0f766e', updated_at: EXAMPLE_MOMENT },
};

export const brandingOperations = [
  defineOperation({
    id: 'getBranding',
    route: 'GET /branding',
    summary: 'Read your branding',
    description: branding.description,
    input: {},
    response: BRANDING,
    handle: async (context) => toWire(branding, await readBranding(context)),
  }),
  defineOperation({
    id: 'updateBranding',
    route: 'PATCH /branding',
    summary: 'Change your branding',
    description: 'Absent fields are unchanged, and null clears a field.',
    input: { body: toSchema(brandingChange, 'request') },
    bodyExample: { display_name: 'Acme Support', accent_color: '#0f766e' },
    response: BRANDING,
    errors: [422],
    handle: async (context, { body }) =>
      toWire(branding, await updateBranding(context, fromWire(brandingChange, body))),
  }),
];
