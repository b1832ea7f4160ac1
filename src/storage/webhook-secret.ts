import { randomBytes } from 'node:crypto';
import type { Sealer } from '../domain/sealer.ts';
import type { Engine } from './engine/engine.ts';
import { createSealedTable, type SealedTable } from './sealed-table.ts';
import { keyIdOf } from './sealing/seal.ts';

/** A new one, for one endpoint alone. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export function sealWebhookSecret(sealer: Sealer, endpointId: string, secret: string) {
  const sealedSecret = sealer.seal(secret, bindingOf(endpointId));
  return { sealedSecret, keyId: keyIdOf(sealedSecret) };
}

/** Undefined where the key ring has no key for it. */
export function openWebhookSecret(sealer: Sealer, endpointId: string, sealed: string): string | undefined {
  return sealer.open(sealed, bindingOf(endpointId));
}

/** A change of keys seals both secrets of an endpoint anew. */
export function sealedWebhookSecrets(engine: Engine, sealer: Sealer): SealedTable {
  return createSealedTable<{ id: string }>(engine, {
    ...{ table: 'webhook_endpoints', key: ['id'], place: { id: 'id' }, sealer },
    columns: ['sealed_secret', 'sealed_previous_secret'],
    bindingOf: ({ id }) => bindingOf(id),
  });
}

function bindingOf(endpointId: string): string {
  return JSON.stringify(['webhook_endpoints.sealed_secret', endpointId]);
}

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;
