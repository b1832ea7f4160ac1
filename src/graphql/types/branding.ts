import { costs } from '@crossbook/executor';
import { type Branding, branding, brandingChange } from '../../domain/branding.ts';
import { field } from '../../domain/shape.ts';
import { readBranding, updateBranding } from '../../usecases/branding.ts';
import { builder, tagged } from '../define/builder.ts';
import { objectOf } from '../define/from-shape.ts';
import { defineMutation } from '../define/mutation.ts';

builder.queryField('branding', (t) =>
  t.field({
    ...tagged('api-key'),
    type: objectOf(branding),
    description: `${branding.description} Requires an API key.`,
    ...costs({}),
    resolve: (_root, _args, context) => readBranding(context),
  }),
);

defineMutation('updateBranding', {
  description:
    'Changes what your customers see of your application on the pages of connect links. An absent field is unchanged; null clears it. Requires an API key.',
  input: {
    argument: 'The changes.',
    description: 'A change of your branding.',
    fields: brandingChange.fields as typeof branding.fields,
  },
  resolve: async (change, context) => ({ branding: await updateBranding(context, change) }),
  payload: {
    description: 'Result of changing your branding.',
    fields: { branding: field<Branding>(branding, 'The stored branding.') },
  },
});
