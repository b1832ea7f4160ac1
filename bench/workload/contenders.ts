import type { Kind } from './requests.ts';

/** Who is measured, in the order of the tables. The first is what the others are compared with. */
export const CONTENDERS: readonly Contender[] = [
  { name: 'floor', title: 'hand-written endpoint', kind: 'floor', script: 'contenders/floor' },
  { name: 'pass-through', title: 'raw pass-through', kind: 'passThrough', script: 'contenders/pass-through' },
  { name: 'crossbook', title: 'Crossbook', kind: 'graphql' },
  { name: 'crossbook-postgres', title: 'Crossbook on PostgreSQL', kind: 'graphql', onPostgres: true },
  { name: 'crossbook-rest', title: 'Crossbook, REST', kind: 'rest' },
  { name: 'mercurius', title: 'Mercurius with JIT', kind: 'graphql', script: 'contenders/peers/mercurius' },
  { name: 'yoga', title: 'Yoga as it comes', kind: 'graphql', script: 'contenders/peers/yoga' },
  { name: 'apollo', title: 'Apollo Server', kind: 'graphqlAtRoot', script: 'contenders/peers/apollo' },
  { name: 'mesh', title: 'GraphQL Mesh over OpenAPI', kind: 'mesh', script: 'contenders/peers/mesh' },
];

export interface Contender {
  readonly name: string;
  readonly title: string;
  readonly kind: Kind;
  /** Absent: the product itself. */
  readonly script?: string;
  /** On the server that DATABASE_URL names, instead of the embedded database; left out where it names none. */
  readonly onPostgres?: true;
}
