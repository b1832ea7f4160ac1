import { createHmac, type KeyObject, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import {
  type Caller,
  MAX_TOKEN_SECONDS,
  type TokenRequest,
  type TokenSubject,
} from '../domain/caller.ts';
import { isProviderName } from '../domain/provider-names.ts';
import { isSame } from '../lib/digest.ts';
import { isRecord, parseJson } from '../lib/json.ts';

/**
 * Customer tokens (JWT): issued by an application (`iss`), for this product (`aud`), for one customer (`sub`). The
 * signature proves that this installation issued the token; the database determines whether it was revoked.
 */
export function createCustomerTokens({ keys, findSubject, wall }: CustomerTokenOptions) {
  return {
    /** Undefined if the application has no such customer. */
    async sign(
      applicationId: string,
      { customerId, expiresAt, providers, canList, canWrite }: TokenRequest,
    ): Promise<string | undefined> {
      const subject = await findSubject({ applicationId, customerId });
      if (!subject) return undefined;
      const { generation, since } = subject;
      const scope = {
        ...(providers && { providers }),
        ...(canList && { canList }),
        ...(canWrite && { canWrite }),
      };
      return new SignJWT({ generation, since: since.getTime(), ...scope })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: keys.current.id })
        .setIssuer(applicationId)
        .setAudience(AUDIENCE)
        .setSubject(customerId)
        .setJti(randomUUID())
        .setIssuedAt(Math.floor(wall() / 1_000))
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1_000))
        .sign(keys.current.secret);
    },

    /** Undefined if the signature is invalid or the token has expired; neither queries the database. */
    async verify(token: string): Promise<VerifiedToken | undefined> {
      const claims = readClaims(token);
      if (!claims) return undefined;
      const { applicationId, customerId, providers, canList, canWrite, id, expiresAt } = claims;
      const subject = await findSubject({ applicationId, customerId });
      if (subject?.generation !== claims.generation || subject.since.getTime() !== claims.since) {
        return { caller: undefined, expiresAt };
      }
      const customer = {
        customerId,
        providers,
        ...(canList && { canList }),
        ...(canWrite && { canWrite }),
      };
      return {
        caller: { application: subject.application, credentialId: id, customer },
        expiresAt,
      };
    },
  };

  /** The reason for which a token is invalid is not disclosed. */
  function readClaims(token: string) {
    const [header = '', payload = '', signature = '', ...others] = token.split('.');
    if (others.length > 0) return undefined;
    const { alg, typ, kid, crit } = readPart(header) ?? {};
    if (alg !== ALGORITHM || typ !== TYPE || typeof kid !== 'string' || crit !== undefined)
      return undefined;
    const key = keys.find(kid);
    if (!key || !isSame(signature, toSignature(key, `${header}.${payload}`))) return undefined;
    const claims = toClaims(readPart(payload) ?? {}, wall());
    return claims && wall() < claims.expiresAt ? claims : undefined;
  }
}

/** Synchronous, because WebCrypto waits for a thread of a pool that other work may fill. */
function toSignature(key: KeyObject, signed: string): string {
  return createHmac('sha256', key).update(signed, 'utf8').digest('base64url');
}

/** Undefined: not a JSON object in base64url. */
function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isRecord(value) ? value : undefined;
}

function toClaims(payload: Readonly<Record<string, unknown>>, now: number) {
  const { iss, sub, jti, aud, iat, exp, nbf, generation, since } = payload;
  const { providers, canList, canWrite } = payload;
  if (aud !== AUDIENCE || !isText(iss) || !isText(sub) || !isText(jti)) return undefined;
  if (!isNumber(iat) || !isNumber(exp) || !isNumber(generation) || !isNumber(since))
    return undefined;
  if (nbf !== undefined && !(isNumber(nbf) && nbf * 1_000 <= now)) return undefined;
  const named = Array.isArray(providers) ? providers.filter(isProviderName) : undefined;
  // An invalid list must not be read as "all providers".
  if (providers !== undefined && named === undefined) return undefined;
  // Checked by expiry and not by age: a process whose clock is behind the signer's would reject new tokens.
  const expiresAt = Math.min(exp, iat + MAX_TOKEN_SECONDS) * 1_000;
  return {
    applicationId: iss,
    customerId: sub,
    id: jti,
    expiresAt,
    generation,
    since,
    providers: named,
    canList: canList === true,
    canWrite: canWrite === true,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

const ALGORITHM = 'HS256';
const AUDIENCE = 'crossbook';
const TYPE = 'crossbook-customer+jwt';

export interface VerifiedToken {
  /** Undefined if the signature is valid and the token was revoked. */
  readonly caller: Caller | undefined;
  readonly expiresAt: number;
}

interface CustomerTokenOptions {
  /** The key ring: the current key signs, older ones still verify; a token names its key by id. */
  readonly keys: {
    readonly current: { readonly id: string; readonly secret: KeyObject };
    find(id: string): KeyObject | undefined;
  };
  findSubject(of: { applicationId: string; customerId: string }): Promise<TokenSubject | undefined>;
  /** Wall-clock time, because tokens are read by other processes and after restarts. */
  wall(): number;
}
