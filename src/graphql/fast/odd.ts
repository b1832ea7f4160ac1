/** Thrown where something is out of the ordinary, and as it is: nobody looks at it. */
export const ODD = Symbol('odd');

export function odd(): never {
  throw ODD;
}
