import { CrossbookError } from '../domain/errors.ts';

/**
 * Refuses a document whose brackets nest too deeply, before it is parsed: graphql's parser calls itself for each, and
 * would run out of stack.
 */
export function checkNesting(source: string, limit: number): void {
  let depth = 0;
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    if (character === '"') index = findStringEnd(source, index);
    else if (character === '#') index = findLineEnd(source, index);
    else if (character === '{' || character === '[' || character === '(') depth++;
    else if (character === '}' || character === ']' || character === ')') depth--;
    if (depth > limit) {
      throw new CrossbookError(
        'BAD_REQUEST',
        `The document is too large: its brackets nest deeper than ${limit}.`,
      );
    }
  }
}

/** Of its last character. A string that does not end is the parser's to complain of. */
function findStringEnd(source: string, start: number): number {
  const isBlock = source.startsWith('"""', start);
  const quote = isBlock ? '"""' : '"';
  for (let index = start + quote.length; index < source.length; index++) {
    if (source[index] === '\\') index += isBlock ? (source.startsWith('"""', index + 1) ? 3 : 0) : 1;
    else if (source.startsWith(quote, index)) return index + quote.length - 1;
    else if (!isBlock && source[index] === '\n') return index;
  }
  return source.length;
}

function findLineEnd(source: string, start: number): number {
  const end = source.indexOf('\n', start);
  return end === -1 ? source.length : end;
}
