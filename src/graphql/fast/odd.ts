/** Thrown where something is out of the ordinary, and as it is: nobody looks at it. */
export const ODD = Symbol('odd');

export function odd(): never {
  throw ODD;
}

/** Undefined: it has to be done with care. */
export function unlessOdd<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
