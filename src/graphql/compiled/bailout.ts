/** Thrown on any unexpected value. It has no stack and no message: the caller runs the generic path for that field. */
export const BAILOUT = Symbol('bailout');

export function bailOut(): never {
  throw BAILOUT;
}

/** Undefined: the caller takes the generic path. */
export function unlessBailedOut<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
