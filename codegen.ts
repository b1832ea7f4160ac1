import type { CodegenConfig } from '@graphql-codegen/cli';

const types = {
  scalars: { Date: 'string', DateTime: 'string', JSON: 'unknown', ID: 'string' },
  immutableTypes: true,
  arrayInputCoercion: false,
  useTypeImports: true,
  skipTypename: true,
};

/** `npm run codegen`: from the printed schema, for introspection would lose @oneOf. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  generates: {
    'packages/client/src/operations.generated.ts': {
      documents: 'packages/client/src/*.graphql',
      // This plugin prints the input types by itself: beside `typescript`, they would be there twice.
      plugins: ['typescript-operations', './codegen/client-documents.mjs'],
      config: types,
    },
    'operations.json': {
      documents: 'packages/client/src/*.graphql',
      plugins: ['./codegen/manifest.mjs'],
    },
    'test/clients/operations.generated.ts': {
      documents: 'test/clients/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: types,
    },
    'examples/app/src/operations.generated.ts': {
      schema: 'examples/app/server/custom-fields.graphql',
      documents: 'examples/app/src/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: types,
    },
  },
};

export default config;
