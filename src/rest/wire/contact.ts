import * as z from 'zod';
import {
  type Association,
  address,
  type Contact,
  contact,
  emailAddress,
  phoneNumber,
} from '../../domain/contact.ts';
import { toSchema, toWire } from '../from-shape.ts';

export const addressShape = toSchema(address, 'answered');
export const emailAddressShape = toSchema(emailAddress, 'answered');
export const phoneNumberShape = toSchema(phoneNumber, 'answered');

export const associationsShape = z
  .strictObject({
    company: z.array(z.string()).optional().describe('Ids of the companies.'),
    deal: z.array(z.string()).optional().describe('Ids of the deals.'),
    ticket: z.array(z.string()).optional().describe('Ids of the tickets.'),
  })
  .meta({
    description:
      'The provider’s ids of the records that a contact is linked to: one list for each object that was asked for, empty where there is no link or where the provider offers none.',
    examples: [{ company: ['123'], deal: [] }],
  });

export const contactShape = z
  .strictObject({
    ...toSchema(contact, 'answered').shape,
    raw_data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The record as the provider sent it. Present with include_raw_data=true.'),
    associations: associationsShape.optional().describe('Present with associations_to_fetch.'),
  })
  .describe(contact.description);

/** What the provider has no value for is `undefined`, which JSON leaves out. */
export function toContactRecord(record: Contact, { rawData, associations }: Extras): Record<string, unknown> {
  const wire = toWire(contact, record);
  if (rawData) wire['raw_data'] = record.rawData ?? undefined;
  if (associations) wire['associations'] = associations;
  return wire;
}

/** One list for each object that was asked for, whether anything was found or not. */
export function toAssociationsRecord(
  asked: readonly Association['object'][],
  found: readonly Association[],
): z.output<typeof associationsShape> {
  const idsOf = (object: Association['object']) =>
    found.filter((one) => one.object === object).map(({ remoteId }) => remoteId);
  return Object.fromEntries(asked.map((object) => [object, idsOf(object)]));
}

interface Extras {
  readonly rawData: boolean;
  readonly associations: z.output<typeof associationsShape> | undefined;
}
