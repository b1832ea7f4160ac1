import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpResponse } from './http-message.ts';
import { JsonBytes } from './json.ts';

/** Below this a compressed body is hardly smaller, and two packets are one anyway. */
const WORTHWHILE_BYTES = 1_400;

const compressions: Readonly<Record<string, (body: Uint8Array | string) => Promise<Uint8Array>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => promisify(gzip)(body, { level: 6 }),
};

/**
 * Compresses a large answer where the caller takes it. One with a strong ETag is left alone: that tag promises the
 * same bytes, whatever was asked for.
 */
export async function compressAnswer(
  answer: HttpResponse,
  acceptEncoding: string | null,
): Promise<HttpResponse> {
  const { body } = answer;
  if (body === null || answer.headers['etag']?.startsWith('"')) return answer;
  const headers = withVary(answer.headers, 'accept-encoding');
  const encoding = body.length < WORTHWHILE_BYTES ? undefined : chooseEncoding(acceptEncoding ?? '');
  const compress = encoding && compressions[encoding];
  if (!compress) return { ...answer, headers };
  const compressed = await compress(body instanceof JsonBytes ? body.toBuffer() : body);
  return {
    ...answer,
    headers: { ...headers, 'content-encoding': encoding },
    body: compressed,
    length: compressed.length,
  };
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

/** The headers of an answer that depends on one more header of its request. */
function withVary(headers: Headers, on: string): Headers {
  return { ...headers, vary: [headers['vary'] ?? [], on].flat().join(', ') };
}

type Headers = Readonly<Record<string, string>>;
