import { Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { JsonBytes } from '@crossbook/executor';
import { withErrorListener } from './error-listener.ts';
import type { HttpResponse } from './http-message.ts';

export {
  type BodyMeter,
  countOwnBytes,
  JsonBytes,
  shareBytes,
  toJsonBody,
} from '@crossbook/executor';

/** Smaller bodies hardly compress, and fit into two packets anyway. */
const WORTHWHILE_BYTES = 1_400;

const compressions: Readonly<Record<string, () => Transform>> = {
  br: () =>
    withErrorListener(createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })),
  gzip: () => withErrorListener(createGzip({ level: 6 })),
};

/**
 * Compresses a large response where the client accepts it. A response with a strong ETag is not compressed, because
 * the tag promises identical bytes.
 */
export async function compressAnswer(
  answer: HttpResponse,
  acceptEncoding: string | null,
): Promise<HttpResponse> {
  const { body } = answer;
  if (body === null || answer.headers['etag']?.startsWith('"')) return answer;
  const vary = [answer.headers['vary'] ?? [], 'accept-encoding'].flat().join(', ');
  const headers = { ...answer.headers, vary };
  const encoding =
    body.length < WORTHWHILE_BYTES ? undefined : chooseEncoding(acceptEncoding ?? '');
  const compress = encoding && compressions[encoding];
  if (!compress) return { ...answer, headers };
  // Piece by piece, because one buffer of megabytes takes long to fill.
  const pieces = body instanceof JsonBytes ? body.take() : [body];
  const compressed = new JsonBytes(await Readable.from(pieces).pipe(compress()).toArray());
  return { ...answer, headers: { ...headers, 'content-encoding': encoding }, body: compressed };
}

/** Prefers Brotli to gzip; of the weights only 0 (not acceptable) counts, and `*` is any that is not named. */
export function chooseEncoding(accept: string): string | undefined {
  const offers = accept
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()));
  return Object.keys(compressions).find((name) => {
    const offer = [name, '*'].flatMap((one) => offers.filter(([offered]) => offered === one)).at(0);
    return offer !== undefined && !offer.some((part) => /^q=0(\.0*)?$/.test(part));
  });
}
