import type { FieldReader, Read } from './reader.ts';

/**
 * A function for objects of one selection, written out: it makes them at once and reads their texts in place, where the
 * general one goes through its fields by name. No text of a client is code in it: keys and properties are quoted names,
 * and everything else is called by its number. Undefined where the process may not make functions of text.
 */
export function writeReader(
  fields: readonly FieldReader[],
  { isOdd, odd, propertyOf }: Means,
): Read | undefined {
  const names = fields.map((_, index) => `read${index}`);
  const members = fields.map(({ key, read }, index) => {
    const property = propertyOf(read);
    return `${quote(key)}: ${property ? writeText(property) : `${names[index]}(value)`}`;
  });
  const body = `
    const [${names.join(', ')}] = reads;
    return (value) => {
      if (isOdd(value)) odd();
      let text;
      return { ${members.join(',\n')} };
    };`;
  try {
    return new Function('reads', 'isOdd', 'odd', body)(
      fields.map(({ read }) => read),
      isOdd,
      odd,
    );
  } catch {
    return undefined;
  }
}

function writeText({ name, isNullable }: TextProperty): string {
  const text = `text = value[${quote(name)}]`;
  return isNullable
    ? `typeof (${text}) === 'string' ? text : text === null || text === undefined ? null : odd()`
    : `typeof (${text}) === 'string' ? text : odd()`;
}

function quote(name: string): string {
  return JSON.stringify(name);
}

/** A property of which nothing is asked but that it is a text. */
export interface TextProperty {
  readonly name: string;
  readonly isNullable: boolean;
}

interface Means {
  isOdd(value: unknown): boolean;
  odd(): never;
  propertyOf(read: Read): TextProperty | undefined;
}
