import { builder } from '../builder.ts';

export const ContactFilterInput = builder.inputType('ContactFilter', {
  description: 'What to search for: exactly one of the fields.',
  isOneOf: true,
  fields: (t) => ({
    email: t.string({
      description:
        'An email address, compared without case with every address that the CRM finds contacts by: in HubSpot the primary and the further ones, in Salesforce the email. HubSpot’s work email is shown, and not searched.',
    }),
    emails: t.stringList({
      description: 'Up to 1,000 email addresses: contacts that have any of them.',
    }),
    emailDomain: t.string({
      description:
        'The part after the @, such as `example.com`: contacts with an address there, of those that `email` compares with.',
    }),
  }),
});
