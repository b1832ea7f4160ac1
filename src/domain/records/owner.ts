import { boolean, field, id, nullable, type Of, shape, string } from '../shape.ts';

export const owner = shape('Owner', 'A user of a customer’s CRM, to whom records can belong.', {
  id: field(id, 'Id of the user in the CRM, as in `ownerId` of records.', { example: '31' }),
  name: nullable(string, 'Name.', { example: 'Grace Hopper' }),
  email: nullable(string, 'Email address.', { example: 'grace@example.com' }),
  isActive: field(boolean, 'Whether the user can still work in the CRM.'),
});

export type Owner = Of<typeof owner>;

/** An account with more is read up to here. */
export const MAX_OWNERS = 5_000;
