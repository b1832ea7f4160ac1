import type { Contact } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/field-selection.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { ContactPort } from '../domain/provider.ts';

/**
 * A page of a list that only the provider has. The run starts ON the boundary: where that record still stands, it
 * proves by itself that the page has a neighbour on its side, and no call is spent on the question.
 */
export async function readDomainPage(port: ContactPort, domain: string, ask: Ask): Promise<Page<Contact>> {
  const { request, selection } = ask;
  const { direction, size, boundary } = request;
  const forward = direction === 'forward';
  const limit = size + (boundary === undefined ? 1 : 2);
  const run = await port.readByDomain(domain, { direction, from: boundary, limit }, selection);

  const edge = forward ? run[0] : run.at(-1);
  const boundaryStands = boundary !== undefined && edge?.remoteId === boundary;
  const beyond = boundaryStands ? (forward ? run.slice(1) : run.slice(0, -1)) : run;
  const items = forward ? beyond.slice(0, size) : beyond.slice(Math.max(0, beyond.length - size));
  const ahead = beyond.length > size;
  const behind =
    boundaryStands || (boundary !== undefined && ask.needsPreviousPage && (await standsBehind(boundary)));
  return { items, hasNextPage: forward ? ahead : behind, hasPreviousPage: forward ? behind : ahead };

  async function standsBehind(from: string): Promise<boolean> {
    const back = forward ? 'backward' : 'forward';
    return (await port.readByDomain(domain, { direction: back, from, limit: 1 }, selection)).length > 0;
  }
}

interface Ask {
  readonly request: PageRequest;
  readonly selection: FieldSelection;
  /** Is it asked whether there is a page on the side that this one was reached from? */
  readonly needsPreviousPage: boolean;
}
