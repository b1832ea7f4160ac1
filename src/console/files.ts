import { readdirSync, readFileSync } from 'node:fs';
import { findBuilt } from '../lib/built-file.ts';
import { escapeText } from '../lib/html.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import { compressAnswer } from '../lib/response-body.ts';

/**
 * The static files of the console, which `build/console.mjs` makes. Their names contain hashes, so that browsers keep
 * them for a year; the page that names them is requested each time.
 */
export function createFiles() {
  const index = findBuilt('console/index.html');
  if (!index) throw new Error('The files of the console are not built: run `npm run build` once.');
  const folder = new URL('.', index);
  const names = new Set(readdirSync(folder));
  const page = readFileSync(index, 'utf8');
  const known = new Map<string, Promise<HttpResponse>>();

  return {
    /** The page of every view: the address names the view. `basePath` is that of the public URL. */
    page: (basePath: string): HttpResponse => ({
      status: 200,
      headers: PAGE_HEADERS,
      body: page.replaceAll('%BASE%', () => escapeText(basePath)),
    }),
    /** Returns undefined if the console has no such file. */
    asset(name: string, acceptEncoding: string | null): Promise<HttpResponse> | undefined {
      const type = TYPES[name.slice(name.lastIndexOf('.'))];
      if (!type || !names.has(name) || name === 'index.html') return undefined;
      return send(name, { ...ASSET_HEADERS, 'content-type': type }, acceptEncoding);
    },
  };

  /** Each file is read and compressed once for each encoding that browsers accept. */
  function send(
    name: string,
    headers: Readonly<Record<string, string>>,
    acceptEncoding: string | null,
  ): Promise<HttpResponse> {
    const accepted = /\bbr\b/.test(acceptEncoding ?? '') ? 'br' : 'identity';
    const key = `${accepted} ${name}`;
    const sent = known.get(key) ?? compress(name, headers, accepted);
    known.set(key, sent);
    return sent;
  }

  async function compress(name: string, headers: HttpResponse['headers'], accepted: string) {
    const body = readFileSync(new URL(name, folder));
    const compressed = await compressAnswer({ status: 200, headers, body }, accepted);
    // Written once, and sent to each client.
    return { ...compressed, body: toBuffer(compressed.body) };
  }
}

function toBuffer(body: HttpResponse['body']): Buffer | null {
  if (body === null || typeof body === 'string') return body === null ? null : Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(body.take());
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Everything comes from this origin, and no text becomes HTML or a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const COMMON_HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
const PAGE_HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
};
const ASSET_HEADERS = {
  ...COMMON_HEADERS,
  'cache-control': 'public, max-age=31536000, immutable',
};
