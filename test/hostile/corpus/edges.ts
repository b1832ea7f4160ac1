import type { Caller, Callers } from '../target/open-target.ts';
import type { Headers } from '../target/send.ts';

const WRONG = 'x'.repeat(43);

/** Missing or slightly wrong credentials: always 401. */
export const CREDENTIALS: Readonly<Record<string, (callers: Callers) => Headers>> = {
  'a well-formed key that does not exist': () => ({
    'x-api-key': `cbk_${'a'.repeat(12)}_${WRONG}`,
  }),
  'an unknown key': () => ({ 'x-api-key': 'x' }),
  'a key with its last character changed': ({ key }) => ({ 'x-api-key': change(keyOf(key)) }),
  'a key without its last character': ({ key }) => ({ 'x-api-key': keyOf(key).slice(0, -1) }),
  'a key with one character more': ({ key }) => ({ 'x-api-key': `${keyOf(key)}A` }),
  'a key in capitals': ({ key }) => ({ 'x-api-key': keyOf(key).toUpperCase() }),
  'a key twice': ({ key }) => ({ 'x-api-key': `${keyOf(key)}, ${keyOf(key)}` }),
  'a key as a token': ({ key }) => ({ authorization: `Bearer ${keyOf(key)}` }),
  'a token as a key': ({ token }) => ({ 'x-api-key': tokenOf(token) }),
  'a token without a scheme': ({ token }) => ({ authorization: tokenOf(token) }),
  'a token by another scheme': ({ token }) => ({ authorization: `Basic ${tokenOf(token)}` }),
  'a token with padding': ({ token }) => ({ authorization: `Bearer ${tokenOf(token)}=` }),
  'a token with padding, twice': ({ token }) => ({ authorization: `Bearer ${tokenOf(token)}==` }),
  'a token with other unused last bits': ({ token }) => ({
    authorization: `Bearer ${respell(tokenOf(token))}`,
  }),
  'a token with a blank in it': ({ token }) => ({
    authorization: `Bearer ${tokenOf(token).replace('.', '. ')}`,
  }),
  'a token with a fourth part': ({ token }) => ({ authorization: `Bearer ${tokenOf(token)}.x` }),
  'a token without a signature': ({ token }) => ({
    authorization: `Bearer ${tokenOf(token).replace(/[^.]+$/, '')}`,
  }),
  'a token with alg none': ({ token }) => ({ authorization: `Bearer ${unsigned(tokenOf(token))}` }),
  'a token of 12 KB': () => ({
    authorization: `Bearer ${'a'.repeat(4_000)}.${'b'.repeat(4_000)}.${'c'.repeat(4_000)}`,
  }),
  'a token with characters outside base64url': () => ({ authorization: 'Bearer é.ü.ß' }),
};

/** Host headers under which a demo may be requested, and those of a DNS rebinding attack. */
export const HOSTS: Readonly<Record<string, boolean>> = {
  'localhost:4000': true,
  '127.0.0.1:4000': true,
  '[::1]:4000': true,
  'rebind.attacker.example': false,
  'rebind.attacker.example:4000': false,
  'localhost.attacker.example': false,
  '127.0.0.1.attacker.example': false,
  '127.0.0.1.nip.io:4000': false,
  'localhost@attacker.example': false,
  'attacker.example:80@localhost': false,
  'localhost/attacker.example': false,
  'localhost:4000:4000': false,
  '0.0.0.0:4000': false,
  '10.0.0.5:4000': false,
};

/** A page of that origin, with those credentials: may it read the response? */
export const ORIGINS: readonly OriginLine[] = [
  { caller: 'neighbour', origin: 'https://neighbour.example', mayRead: true },
  { caller: 'neighbour', origin: 'https://neighbour.example.attacker.example', mayRead: false },
  { caller: 'neighbour', origin: 'http://neighbour.example', mayRead: false },
  { caller: 'neighbour', origin: 'null', mayRead: false },
  { caller: 'key', origin: 'https://neighbour.example', mayRead: false },
  { caller: 'token', origin: 'https://neighbour.example', mayRead: false },
  { caller: 'key', origin: 'https://attacker.example', mayRead: false },
];

function keyOf(headers: Headers): string {
  return headers['x-api-key'] ?? '';
}

function tokenOf({ authorization = '' }: Headers): string {
  return authorization.replace('Bearer ', '');
}

function change(text: string): string {
  return text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
}

/** 43 base64 characters encode 32 bytes, so the last one has two unused bits. */
function respell(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) ^ 1];
}

function unsigned(token: string): string {
  const header = Buffer.from('{"alg":"none"}').toString('base64url');
  return token.replace(/^[^.]+/, header).replace(/[^.]+$/, '');
}

interface OriginLine {
  readonly caller: Caller;
  readonly origin: string;
  readonly mayRead: boolean;
}
