import { createHash } from 'node:crypto';
import { nameOf } from '../account-names.ts';
import type { AccountIdentity } from '../simulation.ts';
import type { TokenKind } from '../tokens.ts';
import { indexOfPerson, personId } from './record-ids.ts';

/** Companies are numbered. All share the sandbox's one host: the token identifies the company. */
export function identify(number: number, origin: string): AccountIdentity {
  const companyId = String(7_700_100 + number);
  return {
    id: companyId,
    ...nameOf(number),
    instanceUrl: origin,
    clientId: digest(`client ${companyId}`, 16),
    clientSecret: digest(`secret ${companyId}`, 40),
    recordId: (index) => String(personId(index)),
    indexOf: indexOfPerson,
  };
}

/** Deterministic by account and serial. An API token is the static one. */
export function mintToken(kind: TokenKind, { id }: AccountIdentity, serial: number): string {
  const secret = digest(`${kind} ${id} ${serial}`, 40);
  if (kind === 'access') return `v1u:AQIBA${digest(`v1u ${id} ${serial}`, 100)}`;
  return kind === 'refresh' ? `${id}:${USER_ID}:${secret}` : secret;
}

/** The user who installs the app. */
export const USER_ID = 16_166_912;

/** The key of a custom field: 40 hexadecimal digits. */
export function toFieldKey(object: string, name: string): string {
  return createHash('sha1').update(`sandbox pipedrive ${object} ${name}`).digest('hex');
}

function digest(seed: string, length: number): string {
  return createHash('sha512').update(`sandbox pipedrive ${seed}`).digest('hex').slice(0, length);
}
