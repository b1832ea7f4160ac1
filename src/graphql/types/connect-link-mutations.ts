import type { ConnectLink } from '../../domain/connect-link.ts';
import { cancelConnectLink } from '../../usecases/connect-link.ts';
import { type ConfirmedLink, confirmConnectLink } from '../../usecases/open-connect-page.ts';
import { builder, tagged } from '../builder.ts';
import { ConnectLinkType } from './connect-link.ts';
import { ConnectedProviderType } from './connected-provider.ts';

const MUTATION_ID = 'Comes back in the answer, as it is.';
const MUTATION_ID_BACK = 'What the input said, as it is.';

const ConfirmConnectLinkInput = builder.inputType('ConfirmConnectLinkInput', {
  description: 'Which link, and the proof that the person who agreed is the one whom you sent.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The link’s id.' }),
    code: t.string({
      required: true,
      description:
        'The one-time code that came with `returnUrl` or the window’s message. Redeem it in the session of the person who asked for the link, within ten minutes.',
    }),
    clientMutationId: t.string({ description: MUTATION_ID }),
  }),
});

const ConfirmConnectLinkPayload = builder.objectRef<ConfirmAnswer>('ConfirmConnectLinkPayload').implement({
  description: 'What was connected.',
  fields: (t) => ({
    link: t.expose('link', { type: ConnectLinkType, description: 'The link, which is COMPLETED now.' }),
    connection: t.expose('connection', { type: ConnectedProviderType, description: 'The connection.' }),
    clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: MUTATION_ID_BACK }),
  }),
});

builder.mutationField('confirmConnectLink', (t) =>
  t.field({
    ...tagged('api-key'),
    type: ConfirmConnectLinkPayload,
    nullable: true,
    description:
      'Redeems the one-time code of a link: only now the connection is there. It takes an API key.',
    args: {
      input: t.arg({ type: ConfirmConnectLinkInput, required: true, description: 'The link and its code.' }),
    },
    async resolve(_root, { input }, context) {
      const { clientMutationId, ...request } = input;
      return { ...(await confirmConnectLink(context, request)), clientMutationId: clientMutationId ?? null };
    },
  }),
);

const CancelConnectLinkInput = builder.inputType('CancelConnectLinkInput', {
  description: 'The link to withdraw.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The link’s id.' }),
    clientMutationId: t.string({ description: MUTATION_ID }),
  }),
});

const CancelConnectLinkPayload = builder.objectRef<CancelAnswer>('CancelConnectLinkPayload').implement({
  description: 'The link that was withdrawn.',
  fields: (t) => ({
    link: t.expose('link', { type: ConnectLinkType, description: 'The link, which is CANCELED now.' }),
    clientMutationId: t.exposeString('clientMutationId', { nullable: true, description: MUTATION_ID_BACK }),
  }),
});

builder.mutationField('cancelConnectLink', (t) =>
  t.field({
    ...tagged('api-key'),
    type: CancelConnectLinkPayload,
    nullable: true,
    description: 'Withdraws a link that has not ended yet. It takes an API key.',
    args: { input: t.arg({ type: CancelConnectLinkInput, required: true, description: 'Which link.' }) },
    async resolve(_root, { input: { id, clientMutationId } }, context) {
      return { link: await cancelConnectLink(context, { id }), clientMutationId: clientMutationId ?? null };
    },
  }),
);

interface ConfirmAnswer extends ConfirmedLink {
  readonly clientMutationId: string | null;
}

interface CancelAnswer {
  readonly link: ConnectLink;
  readonly clientMutationId: string | null;
}
