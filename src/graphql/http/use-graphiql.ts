import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'graphql-yoga';
import { EXAMPLE_OPERATIONS } from './example-operations.ts';

const TITLE = 'Crossbook';

/** Nothing but this server is ever asked: the page brings its scripts, styles, fonts and workers along. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** GraphiQL for a browser that opens the endpoint. The page is large: it is loaded when it is first wanted, and made once. */
export function useGraphiQL({ path, title = TITLE, headers = PLACEHOLDERS }: PageOptions): Plugin {
  let made: Promise<readonly Page[]> | undefined;
  return {
    async onRequest({ request, url, fetchAPI, endResponse }) {
      if (url.pathname !== path || !isForPeople(request)) return;
      made ??= makePages(title, headers);
      const encodings = readEncodings(request.headers.get('accept-encoding'));
      const page = (await made).find(
        ({ encoding }) => encoding === undefined || encodings.includes(encoding),
      );
      if (!page) return;
      const known = (request.headers.get('if-none-match') ?? '').includes(page.etag);
      const init = { status: known ? 304 : 200, headers: toHeaders(page) };
      endResponse(new fetchAPI.Response(known ? null : page.body, init));
    },
  };
}

function isForPeople({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html');
}

async function makePages(title: string, headers: Readonly<Record<string, string>>): Promise<readonly Page[]> {
  const shown = JSON.stringify(headers, null, 2);
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title,
    defaultTabs: EXAMPLE_OPERATIONS.map((operation) => ({ ...operation, headers: shown })),
    defaultHeaders: shown,
    headers: shown,
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
    inputValueDeprecation: true,
    schemaDescription: true,
  });
  const plain = Buffer.from(html);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  // Level 5: a tenth of the time of the highest, and nearly as small.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  return [
    { encoding: 'br', etag: `"${hash}-br"`, body: await promisify(brotliCompress)(plain, brotli) },
    { encoding: 'gzip', etag: `"${hash}-gzip"`, body: await promisify(gzip)(plain) },
    { encoding: undefined, etag: `"${hash}"`, body: plain },
  ];
}

function toHeaders({ encoding, etag }: Page): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'accept, accept-encoding',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    etag,
    ...(encoding && { 'content-encoding': encoding }),
  };
}

function readEncodings(accepted: string | null): readonly string[] {
  return (accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim() ?? '');
}

/** What a person is to fill in. */
const PLACEHOLDERS = { 'x-api-key': '', 'x-customer-id': '' };

export interface GraphiQLOptions {
  readonly title?: string;
  /** What the tabs send along: the demo's key and customer, where there is a demo. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface PageOptions extends GraphiQLOptions {
  readonly path: string;
}

interface Page {
  readonly encoding: 'br' | 'gzip' | undefined;
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}
