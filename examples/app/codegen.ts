import type { CodegenConfig } from '@graphql-codegen/cli';

const { CROSSBOOK_URL = 'http://localhost:4000', CROSSBOOK_API_KEY } = process.env;

const headers: Record<string, string> = CROSSBOOK_API_KEY ? { 'x-api-key': CROSSBOOK_API_KEY } : {};
/** Without `oneOf`, the input types that take exactly one of their fields would lose that. */
const introspection = { headers, oneOf: true };

/** `npm run codegen`: types of the operations, from the schema of a running Crossbook and the custom fields. */
const config: CodegenConfig = {
  schema: [{ [`${CROSSBOOK_URL}/graphql`]: introspection }, 'server/custom-fields.graphql'],
  documents: 'src/*.graphql',
  generates: {
    'src/operations.generated.ts': {
      plugins: ['typescript-operations', 'typed-document-node'],
      config: {
        scalars: { Date: 'string', DateTime: 'string', JSON: 'unknown', ID: 'string' },
        immutableTypes: true,
        arrayInputCoercion: false,
        useTypeImports: true,
        skipTypename: true,
      },
    },
  },
};

export default config;
