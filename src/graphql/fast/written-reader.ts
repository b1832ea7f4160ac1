import type { FieldReader, Read } from './reader.ts';

/**
 * A function for objects of one selection, written out: it makes them at once and reads their texts in place, where the
 * general one goes through its fields by name. No text of a client is code in it: keys and properties are quoted names,
 * and everything else is called by its number. Undefined where the process may not make functions of text.
 */
export function writeReader(
  fields: readonly FieldReader[],
  { isOdd, odd, propertyOf, shortLength }: Means,
): Read | undefined {
  const names = fields.map((_, index) => `read${index}`);
  const members = fields.map(({ key, read }, index) => {
    const property = propertyOf(read);
    return `${quote(key)}: ${property ? writeText(property, index) : `${names[index]}(value, allowance)`}`;
  });
  const body = `
    const [${names.join(', ')}] = reads;
    return (value, allowance) => {
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

  /** What is no short string is left to the property's own reader. */
  function writeText({ name, isNullable }: TextProperty, index: number): string {
    const read = `${names[index]}(value, allowance)`;
    const isShort = `typeof (text = value[${quote(name)}]) === 'string' && text.length <= ${shortLength}`;
    return isNullable
      ? `${isShort} ? text : text === null || text === undefined ? null : ${read}`
      : `${isShort} ? text : ${read}`;
  }
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
  /** Longer strings consume the allowance. */
  readonly shortLength: number;
}
