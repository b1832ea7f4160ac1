/** A document's text. What is asked and answered with it is known to the compiler alone. */
export type Document<Answer, Variables> = string & { readonly types?: (variables: Variables) => Answer };
