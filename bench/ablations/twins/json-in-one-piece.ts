import type { BodyMeter, toJsonBody as original } from '../../../src/lib/json-body.ts';

export const toJsonBody: typeof original = (value: unknown, meter?: BodyMeter) => {
  const body = JSON.stringify(value);
  meter?.consumeBytes(Buffer.byteLength(body));
  return body;
};
