import type { Kind } from './requests.ts';

/** For `links`. */
export const LINKS_FLOOR: Contender = {
  name: 'floor',
  title: 'hand-written endpoint',
  kind: 'floor',
  script: 'contenders/floor-links',
};

/** The contenders, in the order of the tables. The first is the reference for the others. */
export const CONTENDERS: readonly Contender[] = [
  { name: 'floor', title: 'hand-written endpoint', kind: 'floor', script: 'contenders/floor' },
  {
    name: 'pass-through',
    title: 'raw pass-through',
    kind: 'passThrough',
    script: 'contenders/pass-through',
  },
  { name: 'crossbook', title: 'Crossbook', kind: 'graphql' },
  {
    name: 'crossbook-postgres',
    title: 'Crossbook on PostgreSQL',
    kind: 'graphql',
    onPostgres: true,
  },
  { name: 'crossbook-rest', title: 'Crossbook, REST', kind: 'rest' },
  {
    name: 'mercurius',
    title: 'Mercurius with JIT',
    kind: 'graphql',
    script: 'contenders/peers/mercurius',
  },
  { name: 'yoga', title: 'Yoga as it comes', kind: 'graphql', script: 'contenders/peers/yoga' },
  {
    name: 'apollo',
    title: 'Apollo Server',
    kind: 'graphqlAtRoot',
    script: 'contenders/peers/apollo',
  },
  {
    name: 'mesh',
    title: 'GraphQL Mesh over OpenAPI',
    kind: 'mesh',
    script: 'contenders/peers/mesh',
  },
];

export interface Contender {
  readonly name: string;
  readonly title: string;
  readonly kind: Kind;
  /** Absent: the product itself. */
  readonly script?: string;
  /** On the server of DATABASE_URL, instead of the embedded database; skipped if it is not set. */
  readonly onPostgres?: true;
}
