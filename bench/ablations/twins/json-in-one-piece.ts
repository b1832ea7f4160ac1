import type { toJsonBody as original } from '../../../src/lib/json-body.ts';

export const toJsonBody: typeof original = (value, meter) => {
  const body = JSON.stringify(value);
  meter?.consumeBytes(Buffer.byteLength(body));
  return body;
};
