/** The encodings of docs/security.md through which a secret is found, also through any two of them. */
export const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'percent encoding': (text) => percent(text),
  '%u escapes': (text) => each(text, (code) => `%u${hex(code, 4)}`),
  '\\u escapes': (text) => each(text, (code) => `\\u${hex(code, 4)}`),
  '\\x escapes': (text) => each(text, (code) => `\\x${hex(code, 2)}`),
  'a JSON string': (text) => JSON.stringify(text),
  'decimal entities': (text) => each(text, (code) => `&#${code};`),
  'hexadecimal entities': (text) => each(text, (code) => `&#x${hex(code, 2)};`),
  'text in HTML': (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? ''),
  base64: (text) => base64(text),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Further spellings of a secret that a reader can reverse. */
export const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'in a sentence': (secret) => `The token ${secret}, is not valid.`,
  'as a URL has it': (secret) => `https://x.example/?token=${encodeURIComponent(secret)}&x=1`,
  'percent on every character': (secret) => percent(secret),
  'percent twice': (secret) => percent(percent(secret)),
  '%u escapes': (secret) => each(secret, (code) => `%u${hex(code, 4)}`),
  '\\u escapes': (secret) => each(secret, (code) => `\\u${hex(code, 4)}`),
  '\\u escapes, escaped again': (secret) => each(secret, (code) => `\\\\u${hex(code, 4)}`),
  '\\x escapes': (secret) => each(secret, (code) => `\\x${hex(code, 2)}`),
  'decimal entities': (secret) => each(secret, (code) => `&#${code};`),
  'hexadecimal entities': (secret) => each(secret, (code) => `&#x${hex(code, 4)};`),
  base64: (secret) => base64(secret),
  'base64 behind one letter': (secret) => base64(`x${secret}`),
  'base64 behind two letters': (secret) => base64(`xy${secret}`),
  'base64 in a sentence': (secret) => `Basic ${base64(`client:${secret}`)} was sent`,
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'base64 twice': (secret) => base64(base64(secret)),
  'base64 of percent': (secret) => base64(percent(secret)),
  'base64 with line breaks': (secret) => base64(secret).replace(/.{10}/g, '$&\r\n'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex with colons': (secret) => each(secret, (code) => `${hex(code, 2)}:`),
  'hex with 0x': (secret) => each(secret, (code) => `0x${hex(code, 2)}, `),
  'hex of base64': (secret) => Buffer.from(base64(secret)).toString('hex'),
  'upper case': (secret) => secret.toUpperCase(),
  'lower case': (secret) => secret.toLowerCase(),
  'a space between all': (secret) => [...secret].join(' '),
  'invisible characters between all': (secret) => [...secret].join('\u200b'),
  'soft hyphens between all': (secret) => [...secret].join('\u00ad'),
  'tags between': (secret) => [...secret].join('<wbr>'),
  'full width': (secret) => each(secret, (code) => String.fromCharCode(code + 0xfee0)),
  'without its last character': (secret) => secret.slice(0, -1),
  'without its first half': (secret) => secret.slice(secret.length / 2),
};

function percent(text: string): string {
  return each(text, (code) => `%${hex(code, 2)}`);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function each(text: string, spell: (code: number) => string): string {
  return [...text].map((character) => spell(character.charCodeAt(0))).join('');
}
