import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Below this a compressed body is hardly smaller, and two packets are one anyway. */
const WORTHWHILE_BYTES = 1_400;

const compressions: Readonly<Record<string, (body: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => promisify(gzip)(body, { level: 6 }),
};

/**
 * Compresses a large answer where the caller takes it. One with a strong ETag is left alone: that tag promises the
 * same bytes, whatever was asked for.
 */
export async function compressResponse(response: Response, acceptEncoding: string | null): Promise<Response> {
  if (!response.body || response.headers.get('etag')?.startsWith('"')) return response;
  const headers = new Headers(response.headers);
  headers.append('vary', 'accept-encoding');
  const body = new Uint8Array(await response.arrayBuffer());
  const encoding = body.byteLength < WORTHWHILE_BYTES ? undefined : chooseEncoding(acceptEncoding ?? '');
  const compressed = await (encoding ? compressions[encoding]?.(body) : undefined);
  if (encoding && compressed) headers.set('content-encoding', encoding);
  headers.set('content-length', String((compressed ?? body).byteLength));
  return new Response(compressed ?? body, { status: response.status, headers });
}

/** Brotli before gzip, whatever the weights: only a weight of 0 means no. */
function chooseEncoding(accept: string): string | undefined {
  const offers = accept
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()));
  return Object.keys(compressions).find((name) =>
    offers.some(
      ([offered, ...weights]) => offered === name && !weights.some((one) => /^q=0(\.0*)?$/.test(one)),
    ),
  );
}
