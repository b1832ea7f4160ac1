import { costs, type FieldCost } from '@crossbook/executor';
import { type Fields, nullable, shape, string, type Values } from '../../domain/shape.ts';
import type { RequestContext } from '../../request/context.ts';
import { builder, tagged } from './builder.ts';
import { inputOf, objectOf, readInputShape } from './from-shape.ts';

/**
 * Defines a mutation in Relay's form: one input, one payload, and a `clientMutationId` that is echoed. It requires an
 * API key, unless it allows customer tokens.
 */
export function defineMutation<Input extends Fields, Payload extends Fields>(
  name: string,
  { description, cost = {}, allowsTokens, input, resolve, payload }: Mutation<Input, Payload>,
): void {
  const typeName = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const given = shape(typeName, input.description, {
    ...input.fields,
    clientMutationId: nullable(string, 'Opaque value that is returned unchanged in the payload.'),
  });
  const answered = shape(`${typeName}Payload`, payload.description, {
    ...payload.fields,
    clientMutationId: nullable(string, 'The `clientMutationId` of the input.'),
  });
  builder.mutationField(name, (t) =>
    t.field({
      ...(!allowsTokens && tagged('api-key')),
      type: objectOf<object>(answered),
      nullable: true,
      description,
      ...costs(cost),
      args: {
        input: t.arg({
          type: inputOf(given) as never,
          required: true,
          description: input.argument,
        }),
      },
      async resolve(_root, args, context) {
        const { clientMutationId, ...request } = readInputShape(given, args.input);
        return { ...(await resolve(request as Values<Input>, context)), clientMutationId };
      },
    }),
  );
}

interface Mutation<Input extends Fields, Payload extends Fields> {
  readonly description: string;
  /** Whether a customer token may be enough. */
  readonly allowsTokens?: boolean;
  /** Set if it costs more than its values. */
  readonly cost?: FieldCost;
  readonly input: {
    /** The name of the argument. */
    readonly argument: string;
    readonly description: string;
    readonly fields: Input;
  };
  readonly resolve: (
    input: Values<Input>,
    context: RequestContext,
  ) => Values<Payload> | Promise<Values<Payload>>;
  readonly payload: { readonly description: string; readonly fields: Payload };
}
