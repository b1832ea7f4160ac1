import type { ContactPort } from '../../src/domain/provider.ts';
import { createRedactor } from '../../src/outbound/redaction/redactor.ts';

/** As errors leave `outbound`, for a connection without secrets. */
export const toError = createRedactor(() => []);

export function toRedacted(port: ContactPort): ContactPort {
  const { findAssociations } = port;
  return {
    findByEmails: (...args) => redacted(() => port.findByEmails(...args)),
    readByDomain: (...args) => redacted(() => port.readByDomain(...args)),
    countByDomain: (domain) => redacted(() => port.countByDomain(domain)),
    findByIds: (...args) => redacted(() => port.findByIds(...args)),
    ...(findAssociations && {
      findAssociations: (...args: Parameters<typeof findAssociations>) =>
        redacted(() => findAssociations(...args)),
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
