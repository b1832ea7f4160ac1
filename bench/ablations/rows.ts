import { FLAGS_OF_ALL } from '../support/process.ts';

/** Each trick for speed beside its plain twin: a module that does the same as one would write it first, or a flag left out. */
export const ABLATIONS: readonly Ablation[] = [
  { name: 'nothing', title: 'the same again: what chance makes' },
  {
    name: 'compiled-execution',
    title: 'operations are executed by graphql-js',
    twins: { 'graphql/compiled/execute.ts': 'graphql-execution.ts' },
  },
  {
    name: 'generated-serializers',
    title: 'objects are read field by field (no `new Function`)',
    twins: { 'graphql/compiled/generate-serializer.ts': 'no-generated-serializers.ts' },
  },
  {
    name: 'written-lists',
    title: 'long lists stay objects until the whole is written',
    twins: { 'graphql/compiled/writer.ts': 'no-written-lists.ts' },
  },
  {
    name: 'json-in-pieces',
    title: 'the whole is one `JSON.stringify`',
    twins: {
      'graphql/compiled/writer.ts': 'no-written-lists.ts',
      'lib/to-json-body.ts': 'json-in-one-piece.ts',
    },
  },
  {
    name: 'transcoded-text',
    title: 'text becomes UTF-8 by `Buffer.from`',
    twins: { 'lib/to-utf8.ts': 'utf8-by-buffer.ts' },
  },
  {
    name: 'compiled-variables',
    title: 'variables are read by graphql-js',
    twins: { 'graphql/compiled/input/read-variables.ts': 'graphql-variables.ts' },
  },
  {
    name: 'compiled-arguments',
    title: 'arguments are read by graphql-js',
    twins: { 'graphql/compiled/input/read-arguments.ts': 'graphql-arguments.ts' },
  },
  {
    name: 'contact-ids',
    title: 'ids of contacts are encoded as a whole',
    twins: { 'graphql/contact-id.ts': 'whole-contact-ids.ts' },
  },
  {
    name: 'no-yoga-without-plugins',
    title: 'operations go through Yoga’s engine, also without plugins',
    twins: { 'graphql/engine/engine.ts': 'always-yoga.ts' },
  },
  ...FLAGS_OF_ALL.filter((flag) => !flag.includes('source-maps')).map((flag) => ({
    name: flag.replace(/^--/, ''),
    title: `\`${flag}\` left out`,
    engineFlags: FLAGS_OF_ALL.filter((other) => other !== flag),
  })),
];

export interface Ablation {
  readonly name: string;
  /** What is done in its place. */
  readonly title: string;
  /** A file of `src`, and the one of `bench/ablations/twins` that stands in for it. */
  readonly twins?: Readonly<Record<string, string>> | undefined;
  readonly engineFlags?: readonly string[] | undefined;
}
