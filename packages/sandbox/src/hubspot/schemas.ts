import { notFound } from './errors.ts';
import { objectTypeOf } from './object-types.ts';
import { describe, listDescribed } from './portal.ts';
import { RECORD_OBJECTS } from './record-objects.ts';
import { listRecordProperties } from './record-properties.ts';
import type { EndpointContext, HubSpotAccount, Reply } from './types.ts';

/** The list has a portal's own object types only. */
export function listSchemas({ account }: EndpointContext): Reply {
  const results = OWN_OBJECTS.map((kind) => describeOwn(account, kind));
  return { status: 200, body: { results } };
}

/** Of standard object types, only the properties of contacts, companies and deals are described. */
export function readSchema({ account, parts }: EndpointContext): Reply {
  const [name = ''] = parts;
  const own = OWN_OBJECTS.find((kind) =>
    new RegExp(`^${RECORD_OBJECTS[kind].path}$`, 'i').test(name),
  );
  if (own !== undefined) return { status: 200, body: describeOwn(account, own) };
  const type = objectTypeOf(name);
  if (type === undefined) throw notFound();
  const properties =
    type.name === 'contact'
      ? listDescribed(account)
      : type.name === 'company' || type.name === 'deal'
        ? listRecordProperties(account, type.name).map(describe)
        : [];
  const upper = type.name.toUpperCase();
  return {
    status: 200,
    body: toSchema({ ...type, name: upper, fullName: upper, properties }, DISPLAYED[type.name]),
  };
}

function describeOwn(account: HubSpotAccount, kind: (typeof OWN_OBJECTS)[number]): object {
  const { plural, typeId } = RECORD_OBJECTS[kind];
  return toSchema(
    {
      id: typeId,
      name: plural,
      plural,
      fullName: `p${account.id}_${plural}`,
      properties: listRecordProperties(account, kind).map(describe),
    },
    'name',
  );
}

function toSchema(
  { id, name, plural, fullName, properties }: Described,
  displayed: string,
): object {
  return {
    id,
    objectTypeId: id,
    name,
    fullyQualifiedName: fullName,
    labels: { singular: toTitle(name.toLowerCase()), plural: toTitle(plural) },
    primaryDisplayProperty: displayed,
    secondaryDisplayProperties: [],
    searchableProperties: [],
    requiredProperties: [],
    properties,
    associations: [],
    archived: false,
    createdAt: MADE_AT,
    updatedAt: MADE_AT,
  };
}

function toTitle(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const DISPLAYED = {
  contact: 'email',
  company: 'name',
  deal: 'dealname',
  ticket: 'subject',
  lead: 'hs_lead_name',
} as const;

const OWN_OBJECTS = ['subscription', 'machine'] as const;
const MADE_AT = '2022-01-03T08:00:00.000Z';

interface Described {
  readonly id: string;
  readonly name: string;
  readonly plural: string;
  readonly fullName: string;
  readonly properties: readonly object[];
}
