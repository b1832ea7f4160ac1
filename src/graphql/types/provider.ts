import { associatedObject } from '../../domain/contact.ts';
import { category, providerName } from '../../domain/provider-names.ts';
import { listProviders, type ProviderFacts } from '../../usecases/list-providers.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { enumOf } from '../from-shape.ts';

export const ProviderNameEnum = enumOf(providerName);

const ProviderType = builder.objectRef<ProviderFacts>('Provider').implement({
  description: 'A tool that can be connected, and what Crossbook can do with it.',
  fields: (t) => ({
    name: t.expose('name', { type: ProviderNameEnum, description: 'Which tool it is.' }),
    category: t.expose('category', { type: enumOf(category), description: 'What kind of tool it is.' }),
    canSearchContacts: t.exposeBoolean('canSearchContacts', {
      description: 'Can its contacts be searched? Where this is false, a search answers NOT_IMPLEMENTED.',
    }),
    associatedObjects: t.expose('associatedObjects', {
      type: [enumOf(associatedObject)],
      description: 'What the associations of its contacts can lead to. Empty where it offers none.',
      ...costs({ items: 3 }),
    }),
  }),
});

builder.queryField('providers', (t) =>
  t.field({
    type: [ProviderType],
    description:
      'All tools that can be connected, with what each can do: hide what would answer NOT_IMPLEMENTED. Needs an API key or a customer token, like every field that is not about the schema itself.',
    ...costs({ items: 18 }),
    resolve: (_root, _args, context) => listProviders(context),
  }),
);
