/** Each optimisation beside its plain twin: a function that does the same as one would write it first, or a flag left out. */
export const listAblations = (flags: readonly string[]): readonly Ablation[] => [
  { name: 'nothing', title: 'the same again: what chance makes' },
  {
    name: 'compiled-execution',
    title: 'operations are executed by graphql-js',
    twins: [
      { file: 'graphql/compiled/execute.ts', name: 'createExecute', twin: 'graphql-execution.ts' },
    ],
  },
  {
    name: 'generated-serializers',
    title: 'objects are read field by field (no `new Function`)',
    twins: [
      {
        file: 'graphql/compiled/serializers.ts',
        name: 'generateSerializer',
        twin: 'no-generated-serializers.ts',
      },
    ],
  },
  {
    name: 'written-lists',
    title: 'long lists stay objects until the whole is written',
    twins: [
      {
        file: 'graphql/compiled/serializers.ts',
        name: 'createWriter',
        twin: 'no-written-lists.ts',
      },
    ],
  },
  {
    name: 'json-in-pieces',
    title: 'the whole is one `JSON.stringify`',
    twins: [
      {
        file: 'graphql/compiled/serializers.ts',
        name: 'createWriter',
        twin: 'no-written-lists.ts',
      },
      { file: 'lib/json-body.ts', name: 'toJsonBody', twin: 'json-in-one-piece.ts' },
    ],
  },
  {
    name: 'transcoded-text',
    title: 'text becomes UTF-8 by `Buffer.from`',
    twins: [{ file: 'lib/json-body.ts', name: 'toUtf8', twin: 'utf8-by-buffer.ts' }],
  },
  {
    name: 'compiled-variables',
    title: 'variables are read by graphql-js',
    twins: [
      {
        file: 'graphql/compiled/variables.ts',
        name: 'readVariables',
        twin: 'graphql-variables.ts',
      },
    ],
  },
  {
    name: 'compiled-arguments',
    title: 'arguments are read by graphql-js',
    twins: [
      {
        file: 'graphql/compiled/arguments.ts',
        name: 'readArguments',
        twin: 'graphql-arguments.ts',
      },
    ],
  },
  {
    name: 'contact-ids',
    title: 'ids of contacts are encoded as a whole',
    twins: [{ file: 'graphql/global-id.ts', name: 'toContactId', twin: 'whole-contact-ids.ts' }],
  },
  {
    name: 'no-yoga-without-plugins',
    title: 'operations go through Yoga’s engine, also without plugins',
    twins: [
      {
        file: 'graphql/engine/operation-run.ts',
        name: 'openOperationEngine',
        twin: 'always-yoga.ts',
      },
    ],
  },
  ...flags
    .filter((flag) => !flag.includes('source-maps'))
    .map((flag) => ({
      name: flag.replace(/^--/, ''),
      title: `\`${flag}\` left out`,
      engineFlags: flags.filter((other) => other !== flag),
    })),
];

export interface Ablation {
  readonly name: string;
  /** What is done in its place. */
  readonly title: string;
  readonly twins?: readonly Twin[] | undefined;
  readonly engineFlags?: readonly string[] | undefined;
}

/** An exported function of a file in `src`, and the file in `bench/ablations/twins` whose function of that name replaces it. */
export interface Twin {
  readonly file: string;
  readonly name: string;
  readonly twin: string;
}
