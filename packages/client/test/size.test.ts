import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The compressed size of a web page that uses these exports only. */
async function bundle(exports: string, path = 'index.ts') {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${exports} } from './${path}';`,
      resolveDir: new URL('../src', import.meta.url).pathname,
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  const code = outputFiles[0]?.text ?? '';
  return { code, bytes: gzipSync(code, { level: 9 }).length };
}

test.each([
  ['createTokenCache', 450],
  ['connect', 1_300],
  ['createQuery', 1_800],
  ['createClient', 6_000],
])('a page that uses only %s loads at most %i bytes', async (name, most) => {
  const { code, bytes } = await bundle(name);
  expect(bytes).toBeLessThanOrEqual(most);
  // The operations are most of the client.
  expect(code.includes('searchContacts(')).toBe(name === 'createClient');
});
