import type { Contact } from '../domain/contact.ts';
import { type FieldSelection, mergeSelections, type SelectedFields } from '../domain/field-selection.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';

/**
 * The look-ups by email of one request. What is asked for at the same moment travels together, as many emails as fit into
 * one call; the same question about an email is asked once, and who asks again gets what became of it.
 */
export class EmailLookups {
  readonly #asked = new Map<string, Batch>();
  /** Not gone out yet, by connection and kind of answer. */
  readonly #open = new Map<string, Batch>();

  /** The list belongs to who asked. Whole calls go by themselves: they would gain nothing by waiting for company. */
  find(client: LookupClient, emails: readonly string[], selection: FieldSelection): Promise<Contact[]> {
    const { lookupBatch } = client.access;
    const inWhole = emails.length - (emails.length % lookupBatch);
    if (inWhole === 0) return this.#findTogether(client, emails, selection);
    const whole = findWhole(client.port, emails.slice(0, inWhole), selection);
    if (inWhole === emails.length) return whole;
    const rest = this.#findTogether(client, emails.slice(inWhole), selection);
    return Promise.all([whole, rest]).then((found) => found.flat());
  }

  async #findTogether(
    client: LookupClient,
    emails: readonly string[],
    selection: FieldSelection,
  ): Promise<Contact[]> {
    const kind = `${client.connection.id}:${selection.rawData}`;
    const question = `${kind}:${nameFields(selection.fields)}:`;
    const batches = emails.map((email) =>
      this.#ask(client, kind, { name: question + email, email, selection }),
    );
    const [first] = batches;
    const isAlone = first !== undefined && batches.length === 1;
    const found = isAlone ? [await first.found] : await Promise.all(batches.map((batch) => batch.found));
    return emails.flatMap((email, index) => found[index]?.get(email) ?? NONE);
  }

  #ask(client: LookupClient, kind: string, { name, email, selection }: Question): Batch {
    const known = this.#asked.get(name);
    if (known) return known;
    const batch = this.#open.get(kind) ?? this.#openBatch(client, kind);
    this.#asked.set(name, batch);
    batch.emails.add(email);
    batch.selections.add(selection);
    if (batch.emails.size === client.access.lookupBatch) this.#open.delete(kind);
    return batch;
  }

  /** It asks for the fields of all of them, because calls are dearer than fields. */
  #openBatch({ port }: LookupClient, kind: string): Batch {
    const emails = new Set<string>();
    const selections = new Set<FieldSelection>();
    const found = atEndOfTick().then(() => {
      if (this.#open.get(kind) === batch) this.#open.delete(kind);
      return port.findByEmails([...emails], mergeSelections([...selections]));
    });
    const batch: Batch = { emails, selections, found };
    this.#open.set(kind, batch);
    return batch;
  }
}

/** After everything that goes on at this moment. */
function atEndOfTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Nothing is left in the map: the promise that brought it would keep that for long. */
async function findWhole(
  port: ContactPort,
  emails: readonly string[],
  selection: FieldSelection,
): Promise<Contact[]> {
  const found = await port.findByEmails(emails, selection);
  const contacts: Contact[] = [];
  for (const ofOne of found.values()) for (const contact of ofOne) contacts.push(contact);
  found.clear();
  return contacts;
}

export function nameFields(fields: SelectedFields | undefined): string {
  if (!fields) return '*';
  const known = names.get(fields) ?? [...fields].sort().join();
  names.set(fields, known);
  return known;
}

/** One search looks up a thousand emails with the same wish. */
const names = new WeakMap<SelectedFields, string>();

const NONE: readonly never[] = [];

type Found = Awaited<ReturnType<ContactPort['findByEmails']>>;

interface Batch {
  readonly emails: Set<string>;
  readonly selections: Set<FieldSelection>;
  readonly found: Promise<Found>;
}

interface Question {
  /** The same question has the same name. */
  readonly name: string;
  readonly email: string;
  readonly selection: FieldSelection;
}

export interface LookupClient {
  readonly connection: { readonly id: string };
  readonly access: Pick<ContactAccess, 'lookupBatch'>;
  readonly port: ContactPort;
}
