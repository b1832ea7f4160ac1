import type {
  CustomFieldFilter,
  DealConditions,
  ListFilter,
  PhoneFilter,
} from '../../domain/records/conditions.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import type { HubSpotObject } from './object.ts';

/** How HubSpot searches by each condition. Hits are verified, so a query may match too much, and never too little. */
export function toQuery(filter: ListFilter, object: SearchedObject): SearchQuery {
  switch (filter.by) {
    case 'all':
      return exact([[]]);
    case 'phone':
      return toPhoneQuery(filter);
    case 'emailDomain':
      return toDomainQuery(filter.domain);
    case 'modifiedSince':
      return exact([[between(object.modified, filter.since, filter.until)]]);
    case 'namePrefix':
      return toNameQuery(filter.prefix, object.nameProperties);
    case 'domains':
      return exact(['', 'www.'].map((prefix) => [isDomain(filter.domains, prefix)]));
    case 'where':
      return toDealQuery(filter.where);
    case 'customField':
      return toCustomFieldQuery(filter);
  }
}

/**
 * The primary address has a domain property, which is compared exactly and comes first. Additional addresses are one
 * text with undocumented tokenization, so both a whole address and the words of the domain are matched. Matching an
 * enumeration by token is undocumented, too: a portal that rejects it is searched by primary addresses. Hits are
 * verified by their email, so a portal that hides it rejects the search.
 */
function toDomainQuery(domain: string): SearchQuery {
  const primary = [
    { propertyName: 'hs_email_domain', operator: 'EQ', value: domain },
    { propertyName: 'email', operator: 'HAS_PROPERTY' },
  ];
  const others = [`*@${domain}`, domain].map((value) => [hasToken('hs_additional_emails', value)]);
  return { groups: [primary, ...others], fallback: [primary], isExact: true };
}

/**
 * A prefix of a name, its parts as tokens, and the prefix after an apostrophe: which punctuation divides a name into
 * tokens is not documented. By Unicode's rules a hyphen does, and an apostrophe does not. A star in the prefix is a
 * wildcard, which only matches more.
 */
function toNameQuery(prefix: string, names: readonly string[]): SearchQuery {
  const words = prefix.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  const tokens = words.map((word, index) =>
    // Six filters of a group at most, of which one or two are the range of ids.
    index === words.length - 1 ? `${word}*` : word,
  );
  const isWord = words.length === 1 && words[0] === prefix;
  const parts = isWord || words.length === 0 ? [] : [tokens.slice(-MAX_TOKENS)];
  const wholes = names.map((name) => [hasToken(name, `${prefix}*`)]);
  const divided = parts.flatMap((all) =>
    names.map((name) => all.map((one) => hasToken(name, one))),
  );
  // Of contacts, most names with an apostrophe are last names.
  const [last = '', first] = [...names].reverse();
  const quoted = [
    [last, "'"],
    [last, '\u2019'],
    [first, "'"],
  ].flatMap(([name, sign]) => (name ? [[hasToken(name, `*${sign}${prefix}*`)]] : []));
  return { groups: [...wholes, ...divided, ...quoted].slice(0, MAX_GROUPS), isExact: false };
}

const MAX_TOKENS = 4;
const MAX_GROUPS = 5;

/**
 * The calculated properties have the digits of a number without its calling code of one to three digits, and without
 * leading zeros.
 */
function toPhoneQuery({ text, digits }: PhoneFilter): SearchQuery {
  const searchable = ['phone', 'mobile'].map((kind) => `hs_searchable_calculated_${kind}_number`);
  const groups = searchable.flatMap((propertyName) => [
    [{ propertyName, operator: 'IN', values: toEndings(digits) }],
    [hasToken(propertyName, `*${digits}`)],
  ]);
  const asTyped = [{ propertyName: 'phone', operator: 'EQ', value: text }];
  return { groups: [...groups, asTyped], isExact: false };
}

/** What a number that ends with these digits, or with which they end, can have in a calculated property. */
function toEndings(digits: string): readonly string[] {
  const endings = Array.from(digits, (_, cut) => digits.slice(cut).replace(/^0+/, ''));
  return [
    ...new Set(
      endings.filter((one, cut) => one !== '' && (cut <= 3 || one.length >= MIN_NATIONAL)),
    ),
  ];
}

/** A number of seven digits without a calling code of three. */
const MIN_NATIONAL = 4;

/** Values are strings, whatever their type; choices are compared exactly, and texts without case. */
function toCustomFieldQuery({ field, value, sourceType }: CustomFieldFilter): SearchQuery {
  const { type, source: propertyName } = field;
  const text = String(value);
  const equals = (operand: string) => exact([[{ propertyName, operator: 'EQ', value: operand }]]);
  if (type === 'CHOICES')
    return sourceType === 'TEXT'
      ? { groups: [[hasToken(propertyName, `*${text}*`)]], isExact: false }
      : exact([[{ propertyName, operator: 'IN', values: [text] }]]);
  // A text has all choices, separated by semicolons: each of them finds it.
  if (sourceType === 'CHOICES') {
    const values = text.split(';').slice(0, 1);
    return { groups: [[{ propertyName, operator: 'IN', values }]], isExact: false };
  }
  if (type !== 'DATE' && type !== 'DATETIME') return equals(text);
  const time = Date.parse(text);
  return type === 'DATE' && sourceType !== 'DATE'
    ? exact([[between(propertyName, time, time + DAY_MS - 1)]])
    : equals(String(time));
}

const DAY_MS = 24 * 60 * 60 * 1_000;

function isDomain(domains: readonly string[], prefix: string): SearchFilter {
  return { propertyName: 'domain', operator: 'IN', values: domains.map((one) => prefix + one) };
}

/** At most six filters in a group, of which one is the range of ids: a stage belongs to one pipeline. */
function toDealQuery({
  pipelineId,
  stageId,
  status,
  ownerId,
  closeDate,
}: DealConditions): SearchQuery {
  const stage =
    stageId === undefined ? isEqual('pipeline', pipelineId) : isEqual('dealstage', stageId);
  const from = Date.parse(closeDate?.from ?? FIRST_DAY);
  const to = Date.parse(closeDate?.to ?? LAST_DAY) + DAY_MS - 1;
  const others = [
    ...stage,
    ...isEqual('hubspot_owner_id', ownerId),
    ...(closeDate ? [between('closedate', from, to)] : []),
  ];
  // With a pipeline and a stage only the stage is compared.
  const isExact = pipelineId === undefined || stageId === undefined;
  const groups = toStatusFilters(status).map((filters) => [...filters, ...others]);
  return { groups, isExact };
}

/** A deal that never had a stage may have none of the calculated properties. */
function toStatusFilters(status: DealConditions['status']): SearchQuery['groups'] {
  const [won, lost] = ['hs_is_closed_won', 'hs_is_closed_lost'] as const;
  switch (status) {
    case undefined:
      return [[]];
    case 'won':
      return [isEqual(won, 'true')];
    case 'lost':
      return [isEqual(lost, 'true')];
    case 'open':
      return [
        [...isEqual(won, 'false'), ...isEqual(lost, 'false')],
        [won, lost].map((propertyName) => ({ propertyName, operator: 'NOT_HAS_PROPERTY' })),
      ];
  }
}

function isEqual(propertyName = '', value: string | undefined): readonly SearchFilter[] {
  return value === undefined ? [] : [{ propertyName, operator: 'EQ', value }];
}

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

function exact(groups: SearchQuery['groups']): SearchQuery {
  return { groups, isExact: true };
}

function hasToken(propertyName: string, value: string): SearchFilter {
  return { propertyName, operator: 'CONTAINS_TOKEN', value };
}

function between(propertyName: string, from: number, to: number): SearchFilter {
  return { propertyName, operator: 'BETWEEN', value: String(from), highValue: String(to) };
}

export interface SearchQuery {
  /** A record has to pass all filters of one of at most five groups. */
  readonly groups: readonly (readonly SearchFilter[])[];
  /** Used instead where HubSpot rejects one of the filters. */
  readonly fallback?: readonly (readonly SearchFilter[])[];
  /** Whether only contacts that match pass, but for what the index has not seen yet: then HubSpot's total counts. */
  readonly isExact: boolean;
}

type SearchedObject = Pick<HubSpotObject<CrmRecord>, 'modified' | 'nameProperties'>;

interface SearchFilter {
  readonly propertyName: string;
  readonly operator: string;
  readonly value?: string;
  readonly values?: readonly string[];
  readonly highValue?: string;
}
