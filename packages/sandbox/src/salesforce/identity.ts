import { createHash } from 'node:crypto';
import { nameOf } from '../account-names.ts';
import type { AccountIdentity, Minting } from '../simulation.ts';
import type { TokenKind } from '../tokens.ts';
import { ADMINISTRATOR } from './data/contact-row.ts';
import { PREFIXES } from './data/objects.ts';
import type { SalesforceTypes } from './types.ts';
import { makeId, numberOf, toId15 } from './values/record-id.ts';

/** Orgs are numbered. All of them share the sandbox's one host: the token identifies the org. */
export function identify(number: number, origin: string): AccountIdentity {
  const id = makeId('00D', number + 1);
  return {
    id,
    ...nameOf(number),
    instanceUrl: origin,
    clientId: `3MVG9${digest(`client ${id}`, 40)}`,
    clientSecret: digest(`secret ${id}`, 48).toUpperCase(),
    recordId: (index) => makeId(PREFIXES.Contact, index),
    indexOf: (recordId) => numberOf(toId15(recordId) ?? '', PREFIXES.Contact),
  };
}

/** Deterministic by account and serial. There are no tokens that never expire. */
export function mintToken(
  kind: TokenKind,
  { id, quirks }: Minting<SalesforceTypes>,
  serial: number,
): string | undefined {
  if (kind === 'static') return undefined;
  if (kind === 'code') return `aPrx${digest(`code ${id} ${serial}`, 76)}`;
  if (kind === 'access' && quirks.jwtAccessTokens) return mintJwt(id, serial);
  const secret = digest(`${kind} ${id} ${serial}`, 80);
  return kind === 'access' ? `${id.slice(0, 15)}!AQ${secret}` : `5Aep861${secret}`;
}

/** The signature is never verified. */
function mintJwt(id: string, serial: number): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const payload = {
    sub: `uid:${USER_ID}`,
    iss: `https://${id.toLowerCase()}.my.salesforce.com`,
    jti: serial,
  };
  return [
    encode({ typ: 'JWT', alg: 'RS256' }),
    encode(payload),
    digest(`jwt ${id} ${serial}`, 86),
  ].join('.');
}

/** The user of every API call. */
export const USER_ID = makeId(PREFIXES.User, ADMINISTRATOR);

function digest(seed: string, length: number): string {
  return createHash('sha512').update(`sandbox salesforce ${seed}`).digest('hex').slice(0, length);
}
