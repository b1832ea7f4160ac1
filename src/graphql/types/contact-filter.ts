import { builder } from '../builder.ts';

export const ContactFilterInput = builder.inputType('ContactFilter', {
  description: 'What to search for: exactly one of the fields.',
  isOneOf: true,
  fields: (t) => ({
    email: t.string({
      description: 'An email address. It is compared without case, with every address that a contact has.',
    }),
    emails: t.stringList({
      description: 'Up to 1,000 email addresses: contacts that have any of them.',
    }),
    emailDomain: t.string({
      description: 'The part after the @: contacts with an address there, such as `example.com`.',
    }),
  }),
});
