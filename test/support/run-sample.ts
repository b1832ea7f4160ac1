import { readSamples, type Sample } from './documents.ts';

/** The one sample of a document in that language that contains these words. */
export function findSample(path: string, language: string, words: string): string {
  const found = readSamples().filter(
    (sample: Sample) =>
      sample.path === path && sample.language === language && sample.code.includes(words),
  );
  const [only] = found;
  if (!only || found.length > 1)
    throw new Error(`${path} has ${found.length} samples with ${words}.`);
  return only.code;
}

/** Runs printed JavaScript with the variables that it assumes, and returns what it declares. */
export async function runSample<Declared>(
  code: string,
  { given, declares = [] }: { readonly given: object; readonly declares?: readonly string[] },
): Promise<Declared> {
  const body = `${code.replaceAll(/^import .*;$|^export /gm, '')}\nreturn { ${declares.join(', ')} };`;
  return new AsyncFunction(...Object.keys(given), body)(...Object.values(given));
}

const AsyncFunction = (async () => {}).constructor as new (
  ...words: string[]
) => (...given: readonly unknown[]) => Promise<never>;
