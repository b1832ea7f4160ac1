import { type toContactId as original, toGlobalId } from '../../../src/graphql/global-id.ts';

export const toContactId: typeof original = ({ source, remoteId }) =>
  toGlobalId({ type: 'Contact', ...source, remoteId });
