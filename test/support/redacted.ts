import type { ContactPort } from '../../src/domain/provider.ts';
import { createRedactor, RedactedPort } from '../../src/outbound/redaction/redactor.ts';

/** As errors leave `outbound`, for a connection without secrets. */
export const { toError } = createRedactor(() => []);

export function toRedacted(port: ContactPort): ContactPort {
  return new RedactedPort(port, toError);
}
