import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/customer-token.ts';
import { type IssuedToken, issueCustomerToken } from '../../usecases/issue-customer-token.ts';
import { builder, tagged } from '../builder.ts';
import { ProviderNameEnum } from './provider.ts';

const IssueCustomerTokenInput = builder.inputType('IssueCustomerTokenInput', {
  description: 'Whom a token is for, and how far it reaches.',
  fields: (t) => ({
    customerId: t.id({ required: true, description: 'The customer, by your own id.' }),
    expiresInSeconds: t.int({
      description: `How long the token lives, at most ${MAX_TOKEN_SECONDS} seconds (a day). Default ${DEFAULT_TOKEN_SECONDS}, an hour.`,
    }),
    providers: t.field({
      type: [ProviderNameEnum],
      description: 'The only providers that the token may search. Default: all of the customer’s.',
    }),
    clientMutationId: t.string({ description: 'Comes back in the answer, as it is.' }),
  }),
});

const IssueCustomerTokenPayload = builder.objectRef<IssueAnswer>('IssueCustomerTokenPayload').implement({
  description: 'A token, shown this once.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description:
        'For the header `Authorization: Bearer …`. It reads its customer and that customer’s contacts, nothing else.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the token ends.' }),
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'What the input said, as it is.',
    }),
  }),
});

builder.mutationField('issueCustomerToken', (t) =>
  t.field({
    ...tagged('api-key'),
    type: IssueCustomerTokenPayload,
    nullable: true,
    description:
      'A short-lived token for the frontend of one of your customers. It takes an API key: a token cannot make tokens.',
    args: {
      input: t.arg({ type: IssueCustomerTokenInput, required: true, description: 'Whom the token is for.' }),
    },
    async resolve(_root, { input }, context) {
      const { clientMutationId, ...request } = input;
      return { ...(await issueCustomerToken(context, request)), clientMutationId: clientMutationId ?? null };
    },
  }),
);

interface IssueAnswer extends IssuedToken {
  readonly clientMutationId: string | null;
}
