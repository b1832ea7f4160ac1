import type { ContactPort } from '../../domain/provider.ts';

/** A provider's own port, of which no error comes out as the adapter threw it. */
export class RedactedPort implements ContactPort {
  readonly compareIds: ContactPort['compareIds'];
  readonly findAssociations?: NonNullable<ContactPort['findAssociations']>;
  readonly #port: ContactPort;
  readonly #toError: (thrown: unknown) => unknown;

  constructor(port: ContactPort, toError: (thrown: unknown) => unknown) {
    this.#port = port;
    this.#toError = toError;
    this.compareIds = port.compareIds;
    const find = port.findAssociations?.bind(port);
    if (find) this.findAssociations = (...given) => this.#redacted(() => find(...given));
  }

  findByEmails(...given: Parameters<ContactPort['findByEmails']>) {
    return this.#redacted(() => this.#port.findByEmails(...given));
  }

  readByDomain(...given: Parameters<ContactPort['readByDomain']>) {
    return this.#redacted(() => this.#port.readByDomain(...given));
  }

  countByDomain(domain: string) {
    return this.#redacted(() => this.#port.countByDomain(domain));
  }

  findByIds(...given: Parameters<ContactPort['findByIds']>) {
    return this.#redacted(() => this.#port.findByIds(...given));
  }

  async #redacted<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw this.#toError(error);
    }
  }
}
