import openapiTypes, { astToString } from 'openapi-typescript';
import typescript from 'typescript';

/** The types of an OpenAPI document, as TypeScript. */
export async function generateTypes(document) {
  return astToString(await openapiTypes(document));
}

/** Compiles a program strictly; what is wrong with it, in words. */
export function compile(files, outDir) {
  const { ModuleKind, ScriptTarget } = typescript;
  const program = typescript.createProgram([...files], {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: [],
    outDir,
    module: ModuleKind.NodeNext,
    target: ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  });
  const { diagnostics } = program.emit();
  return [...typescript.getPreEmitDiagnostics(program), ...diagnostics].map(
    ({ file, messageText }) =>
      [file?.fileName, typescript.flattenDiagnosticMessageText(messageText, '\n')].join(': '),
  );
}
