import { notFound } from './errors.ts';
import { objectTypeOf } from './object-types.ts';
import { listDescribed } from './portal.ts';
import type { EndpointContext, Reply } from './types.ts';

/** The list has a portal's own object types only, and these portals have none. */
export function listSchemas(): Reply {
  return { status: 200, body: { results: [] } };
}

/** The schema of a standard object type. Only the properties of contacts are described. */
export function readSchema({ account, parts }: EndpointContext): Reply {
  const type = objectTypeOf(parts[0] ?? '');
  if (type === undefined) throw notFound();
  const name = type.name.toUpperCase();
  return {
    status: 200,
    body: {
      id: type.id,
      objectTypeId: type.id,
      name,
      fullyQualifiedName: name,
      labels: { singular: toTitle(type.name), plural: toTitle(type.plural) },
      primaryDisplayProperty: DISPLAYED[type.name],
      secondaryDisplayProperties: [],
      searchableProperties: [],
      requiredProperties: [],
      properties: type.name === 'contact' ? listDescribed(account) : [],
      associations: [],
      archived: false,
      createdAt: MADE_AT,
      updatedAt: MADE_AT,
    },
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

const MADE_AT = '2022-01-03T08:00:00.000Z';
