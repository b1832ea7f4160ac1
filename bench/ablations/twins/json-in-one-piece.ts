import type { BodyMeter, JsonBody } from '../../../src/lib/to-json-body.ts';

export function toJsonBody(value: unknown, meter?: BodyMeter): JsonBody {
  const body = JSON.stringify(value);
  const length = Buffer.byteLength(body);
  meter?.consumeBytes(length);
  return { body, length };
}
