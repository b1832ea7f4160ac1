import type { ContactPort } from '../../src/domain/provider.ts';
import { createRedactor } from '../../src/outbound/redaction/redactor.ts';

/** As errors leave `outbound`, for a connection without secrets. */
export const toError = createRedactor(() => []);

export function toRedacted(port: ContactPort): ContactPort {
  const { findAssociations } = port;
  return {
    findByEmails: (...given) => redacted(() => port.findByEmails(...given)),
    readByDomain: (...given) => redacted(() => port.readByDomain(...given)),
    countByDomain: (domain) => redacted(() => port.countByDomain(domain)),
    findByIds: (...given) => redacted(() => port.findByIds(...given)),
    ...(findAssociations && {
      findAssociations: (...given: Parameters<typeof findAssociations>) =>
        redacted(() => findAssociations(...given)),
    }),
  };
}

async function redacted<Found>(read: () => Promise<Found>): Promise<Found> {
  try {
    return await read();
  } catch (error) {
    throw toError(error);
  }
}
