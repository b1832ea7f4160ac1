const bytes = (secret: string) => Buffer.from(secret);
const each = (secret: string, write: (character: string) => string) =>
  [...secret].map(write).join('');
const hex = (character: string, length: number) =>
  character.charCodeAt(0).toString(16).padStart(length, '0');

/** Encodings in which a CRM may echo what it received. A reader can undo each of them. */
export const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  unchanged: (secret) => secret,
  'behind its scheme': (secret) => `Bearer ${secret}`,
  'percent-encoded': (secret) => each(secret, (character) => `%${hex(character, 2)}`),
  'percent-encoded twice': (secret) => encodeURIComponent(each(secret, (one) => `%${hex(one, 2)}`)),
  'escaped as in JSON': (secret) => each(secret, (character) => `\\u${hex(character, 4)}`),
  'escaped as in JSON, in capitals': (secret) =>
    each(secret, (one) => `\\u${hex(one, 4).toUpperCase()}`),
  'as HTML entities': (secret) => each(secret, (character) => `&#${character.charCodeAt(0)};`),
  'as hexadecimal HTML entities': (secret) =>
    each(secret, (character) => `&#x${hex(character, 2)};`),
  'in base64': (secret) => bytes(secret).toString('base64'),
  'in base64, one character in': (secret) => bytes(`x${secret}`).toString('base64'),
  'in base64, two characters in': (secret) => bytes(`xx${secret}`).toString('base64'),
  'in base64url': (secret) => bytes(`user:${secret}`).toString('base64url'),
  'in base64 of base64': (secret) => bytes(bytes(secret).toString('base64')).toString('base64'),
  'in hexadecimal': (secret) => bytes(secret).toString('hex'),
  'in capitals': (secret) => secret.toUpperCase(),
  'with blanks in it': (secret) => each(secret, (character) => `${character} `),
  'with invisible characters in it': (secret) => each(secret, (character) => `${character}\u200b`),
  'with a line break in its middle': (secret) =>
    `${secret.slice(0, secret.length / 2)}\n${secret.slice(secret.length / 2)}`,
  'all but its last character': (secret) => secret.slice(0, -1),
  'all but its first ten': (secret) => secret.slice(10),
  'within a URL': (secret) => `https://crm.example/?access_token=${encodeURIComponent(secret)}&x=1`,
  'within JSON within a string': (secret) => JSON.stringify(JSON.stringify({ token: secret })),
};

/** The statuses of the echoing response. With 2xx the product parses the body, which has an unknown shape. */
export const STATUSES = [
  200, 201, 207, 302, 400, 401, 403, 404, 409, 422, 423, 429, 500, 503,
] as const;
/** The statuses for which a CRM's response is shown to the client. */
export const READABLE = [400, 403, 404, 409, 422];
