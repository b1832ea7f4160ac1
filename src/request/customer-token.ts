import { type KeyObject, randomUUID } from 'node:crypto';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import {
  type Caller,
  MAX_TOKEN_SECONDS,
  type TokenRequest,
  type TokenSubject,
} from '../domain/caller.ts';
import { isProviderName } from '../domain/provider-names.ts';

/**
 * Customer tokens (JWT): issued by an application (`iss`), for this product (`aud`), for one customer (`sub`). The
 * signature proves that this installation issued the token; the database determines whether it was revoked.
 */
export function createCustomerTokens({ keys, findSubject, wall }: CustomerTokenOptions) {
  return {
    /** Undefined if the application has no such customer. */
    async sign(
      applicationId: string,
      { customerId, expiresAt, providers, canList }: TokenRequest,
    ): Promise<string | undefined> {
      const subject = await findSubject({ applicationId, customerId });
      if (!subject) return undefined;
      const { generation, since } = subject;
      const scope = { ...(providers && { providers }), ...(canList && { canList }) };
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
      const claims = isCanonical(token) ? await readClaims(token) : undefined;
      if (!claims) return undefined;
      const { applicationId, customerId, providers, canList, id, expiresAt } = claims;
      const subject = await findSubject({ applicationId, customerId });
      if (subject?.generation !== claims.generation || subject.since.getTime() !== claims.since) {
        return { caller: undefined, expiresAt };
      }
      const customer = { customerId, providers, ...(canList && { canList }) };
      return {
        caller: { application: subject.application, credentialId: id, customer },
        expiresAt,
      };
    },
  };

  async function readClaims(token: string) {
    try {
      const { payload } = await jwtVerify(token, ({ kid = '' }) => findKey(kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        audience: AUDIENCE,
        currentDate: new Date(wall()),
        requiredClaims: ['iss', 'sub', 'jti', 'iat', 'exp'],
      });
      const claims = toClaims(payload);
      return claims && wall() < claims.expiresAt ? claims : undefined;
    } catch {
      // The reason is not disclosed.
      return undefined;
    }
  }

  function findKey(id: string): KeyObject {
    const key = keys.find(id);
    if (key) return key;
    throw new Error('No key of the ring signed this.');
  }
}

/**
 * The last base64url character of a signature has unused bits, so a lenient decoder accepts several spellings: only
 * the canonical one is valid.
 */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function toClaims({ iss, sub, jti, iat, exp, ...claims }: JWTPayload) {
  const { generation, since, providers } = claims;
  const canList = claims['canList'] === true;
  const isWhole = [iss, sub, jti].every((text) => typeof text === 'string' && text !== '');
  if (!isWhole || typeof generation !== 'number' || typeof since !== 'number') return undefined;
  const named = Array.isArray(providers) ? providers.filter(isProviderName) : undefined;
  // An invalid list must not be read as "all providers".
  if (providers !== undefined && named === undefined) return undefined;
  const [applicationId = '', customerId = '', id = ''] = [iss, sub, jti];
  // Checked by expiry and not by age: a process whose clock is behind the signer's would reject new tokens.
  const expiresAt = Math.min(exp ?? 0, (iat ?? 0) + MAX_TOKEN_SECONDS) * 1_000;
  return { applicationId, customerId, id, expiresAt, generation, since, providers: named, canList };
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
