import type { CustomerAccount } from '../../domain/provider.ts';
import type { LinkWriter, PlannedLink, PlannedWrite, SendOptions } from '../../domain/writing.ts';
import { toText } from '../../lib/text.ts';
import { groupLinks, HOLDS_ONE, isDemotion, nameOfPair, toLinkWrite } from '../link-writes.ts';
import { toSent } from '../write-batches.ts';
import { createCall, failureOf } from './call.ts';
import { ID, toKey } from './object.ts';
import { isInList, readRows, toPath } from './query.ts';
import {
  ACCOUNT_CONTACT_RELATION,
  CONTACT,
  type FieldName,
  fieldName,
  type ObjectName,
  OPPORTUNITY,
  OPPORTUNITY_CONTACT_ROLE,
  select,
} from './soql.ts';
import { deleteRows, sendWrites } from './writes.ts';

/**
 * Contacts and opportunities have the id of one account. Further accounts of a contact, where the org has them, and the
 * contacts of an opportunity are rows of their own.
 */
export function createLinkWriter(account: CustomerAccount): LinkWriter {
  return {
    async rulesOf(pair) {
      const name = nameOfPair(pair);
      if (name === 'DEAL COMPANY') return HOLDS_ONE;
      if (name === 'DEAL CONTACT') return { holdsOne: false, hasPrimary: true, canDemote: true };
      const { hasSeveral } = await account.remember('accounts of contacts', () =>
        readAccountRelations(account),
      );
      return hasSeveral
        ? { holdsOne: false, hasPrimary: true, mayLosePrimary: true }
        : { ...HOLDS_ONE, hint: ASK_FOR_SEVERAL };
    },

    async send(links, options) {
      for (const [pair, verb, some] of groupLinks(links)) {
        if (pair === 'DEAL COMPANY') await setAccounts(account, OPPORTUNITY, some, options);
        else if (pair === 'CONTACT COMPANY') await sendAccounts(account, verb, some, options);
        else await sendRows(account, ROLES, some, options);
      }
    },
  };
}

/** The first account of a contact, and a primary one, is its own. */
async function sendAccounts(
  account: CustomerAccount,
  verb: PlannedLink['verb'],
  links: readonly PlannedLink[],
  options: SendOptions,
): Promise<void> {
  const accountLinks = new Map<string, PlannedLink>();
  if (verb === 'link') {
    for (const link of links.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))) {
      const hasOwn = link.current.some(({ isPrimary }) => isPrimary);
      if (!accountLinks.has(link.from.remoteId) && (link.isPrimary || !hasOwn))
        accountLinks.set(link.from.remoteId, link);
    }
  }
  const isOwn = (link: PlannedLink) =>
    verb === 'link'
      ? accountLinks.get(link.from.remoteId) === link
      : currentOf(link)?.isPrimary === true;
  await setAccounts(account, CONTACT, links.filter(isOwn), options);
  await sendRows(
    account,
    RELATIONS,
    links.filter((link) => !isOwn(link)),
    options,
  );
}

function currentOf({ current, to }: PlannedLink) {
  return current.find(({ remoteId }) => remoteId === to.remoteId);
}

async function setAccounts(
  account: CustomerAccount,
  name: ObjectName,
  links: readonly PlannedLink[],
  options: SendOptions,
): Promise<void> {
  const writes = links.map((link) =>
    toLinkWrite(link, link.from.remoteId, {
      AccountId: link.verb === 'link' ? link.to.remoteId : null,
    }),
  );
  await sendWrites(account, { name }, writes, options);
}

/** Makes, changes or deletes the rows of links. */
async function sendRows(
  account: CustomerAccount,
  { object, from, to, primary }: LinkRows,
  links: readonly PlannedLink[],
  options: SendOptions,
): Promise<void> {
  const made: PlannedWrite[] = [];
  const known: PlannedLink[] = [];
  for (const link of links) {
    if (link.verb === 'unlink' || currentOf(link)) known.push(link);
    else
      made.push(
        toLinkWrite(link, null, {
          [from]: link.from.remoteId,
          [to]: link.to.remoteId,
          ...(primary && { [primary]: link.isPrimary }),
        }),
      );
  }
  const rows = await findRows(account, { object, from, to }, known);
  const rowsOf = ({ index }: Pick<PlannedLink, 'index'>) => rows.get(index) ?? [];
  // Another client has removed them meanwhile.
  const gone = known.filter((link) => rowsOf(link).length === 0);
  const isChange = (link: PlannedLink) => link.verb === 'link' || isDemotion(link);
  const changed = known.filter((link) => isChange(link) && !gone.includes(link));
  const removed = known.filter((link) => !isChange(link) && !gone.includes(link));
  await options.after(
    gone.map((link) => toSent(link, link.verb === 'unlink' ? 'UPDATED' : 'NOT_SENT')),
  );
  const updates = changed.map((link) =>
    toLinkWrite(link, rowsOf(link)[0] ?? null, primary ? { [primary]: link.verb === 'link' } : {}),
  );
  await sendWrites(account, { name: object }, [...made, ...updates], options);
  await deleteRows(account, removed, rowsOf, options);
}

/** The ids of the rows of each link. A contact can have several roles in an opportunity. */
async function findRows(
  { send }: CustomerAccount,
  { object, from, to }: LinkRows,
  links: readonly PlannedLink[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const holders = new Set(links.map((link) => toKey(link.from.remoteId)));
  const queries = isInList(from, holders).map((where) =>
    toPath(select({ fields: [ID, from, to], from: object, where }), 'query'),
  );
  const rows = queries.length === 0 ? [] : (await readRows(createCall(send), queries)).flat();
  return new Map(
    links.map((link) => {
      const linkRows = rows.filter(
        (row) =>
          toKey(toText(row[from]) ?? '') === toKey(link.from.remoteId) &&
          toKey(toText(row[to]) ?? '') === toKey(link.to.remoteId),
      );
      return [link.index, linkRows.flatMap((row) => toText(row['Id']) ?? [])];
    }),
  );
}

/** Whether contacts of the org can have several accounts, and the connected user sees them. */
async function readAccountRelations({ send }: CustomerAccount) {
  const query = select({
    fields: [ID],
    from: ACCOUNT_CONTACT_RELATION,
    where: undefined,
    limit: 1,
  });
  try {
    await readRows(createCall(send), [toPath(query, 'query')]);
    return { hasSeveral: true };
  } catch (error) {
    if (failureOf(error).errorCode !== 'INVALID_TYPE') throw error;
    return { hasSeveral: false };
  }
}

const ASK_FOR_SEVERAL =
  'A contact can have several accounts where an administrator has enabled Contacts to Multiple Accounts.';

const CONTACT_ID = fieldName('ContactId');

const RELATIONS: LinkRows = {
  object: ACCOUNT_CONTACT_RELATION,
  from: CONTACT_ID,
  to: fieldName('AccountId'),
};

const ROLES: LinkRows = {
  object: OPPORTUNITY_CONTACT_ROLE,
  from: fieldName('OpportunityId'),
  to: CONTACT_ID,
  primary: fieldName('IsPrimary'),
};

interface LinkRows {
  readonly object: ObjectName;
  readonly from: FieldName;
  readonly to: FieldName;
  readonly primary?: FieldName;
}
