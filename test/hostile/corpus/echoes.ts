const bytes = (secret: string) => Buffer.from(secret);
const each = (secret: string, write: (character: string) => string) => [...secret].map(write).join('');
const hex = (character: string, length: number) => character.charCodeAt(0).toString(16).padStart(length, '0');

/** How a CRM may write back what it was sent. Each can be undone by whoever reads it. */
export const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'behind its scheme': (secret) => `Bearer ${secret}`,
  'with percent signs': (secret) => each(secret, (character) => `%${hex(character, 2)}`),
  'with percent signs, twice': (secret) => encodeURIComponent(each(secret, (one) => `%${hex(one, 2)}`)),
  'escaped as in JSON': (secret) => each(secret, (character) => `\\u${hex(character, 4)}`),
  'escaped as in JSON, in capitals': (secret) => each(secret, (one) => `\\u${hex(one, 4).toUpperCase()}`),
  'as entities of HTML': (secret) => each(secret, (character) => `&#${character.charCodeAt(0)};`),
  'as entities in hexadecimal': (secret) => each(secret, (character) => `&#x${hex(character, 2)};`),
  'in base64': (secret) => bytes(secret).toString('base64'),
  'in base64, one character in': (secret) => bytes(`x${secret}`).toString('base64'),
  'in base64, two characters in': (secret) => bytes(`xx${secret}`).toString('base64'),
  'in base64url': (secret) => bytes(`user:${secret}`).toString('base64url'),
  'in base64 of base64': (secret) => bytes(bytes(secret).toString('base64')).toString('base64'),
  'in hexadecimal': (secret) => bytes(secret).toString('hex'),
  'in capitals': (secret) => secret.toUpperCase(),
  'with blanks in it': (secret) => each(secret, (character) => `${character} `),
  'with invisible characters in it': (secret) => each(secret, (character) => `${character}\u200b`),
  'with a line end in its middle': (secret) =>
    `${secret.slice(0, secret.length / 2)}\n${secret.slice(secret.length / 2)}`,
  'all but its last character': (secret) => secret.slice(0, -1),
  'all but its first ten': (secret) => secret.slice(10),
  'within a URL': (secret) => `https://crm.example/?access_token=${encodeURIComponent(secret)}&x=1`,
  'within JSON within a string': (secret) => JSON.stringify(JSON.stringify({ token: secret })),
};

/** What the echo comes with. Of 2xx the product reads the body, and does not understand it. */
export const STATUSES = [200, 201, 207, 302, 400, 401, 403, 404, 409, 422, 423, 429, 500, 503] as const;
/** Where a CRM's answer is shown as it is. */
export const READABLE = [400, 403, 404, 409, 422];
