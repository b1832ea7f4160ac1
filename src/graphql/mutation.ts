import type { FieldMap, InputFieldMap, InputShapeFromFields } from '@pothos/core';
import type { RequestContext } from '../request/context.ts';
import { builder, tagged } from './builder.ts';
import { costs, type FieldCost } from './cost.ts';

/** A mutation as Relay has them: one input, one payload, and a `clientMutationId` that comes back. It takes an API key. */
export function defineMutation<Fields extends InputFieldMap, Answer extends object>(
  name: string,
  { description, cost, input, resolve, payload }: Mutation<Fields, Answer>,
): void {
  const typeName = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const Input = builder.inputType(`${typeName}Input`, {
    description: input.description,
    fields: (t) => ({
      ...(input.fields(t) as InputFieldMap),
      clientMutationId: t.string({ description: 'Comes back in the answer, as it is.' }),
    }),
  });
  const Payload = builder.objectRef<Echoed>(`${typeName}Payload`).implement({
    description: payload.description,
    fields: (t) => ({
      ...payload.fields(t as PayloadBuilder<never>),
      clientMutationId: t.string({
        nullable: true,
        description: 'What the input said, as it is.',
        resolve: ({ clientMutationId }) => clientMutationId,
      }),
    }),
  });
  builder.mutationField(name, (t) =>
    t.field({
      ...tagged('api-key'),
      type: Payload,
      nullable: true,
      description,
      ...(cost && costs(cost)),
      args: { input: t.arg({ type: Input, required: true, description: input.argument }) },
      async resolve(_root, { input: given }, context) {
        const { clientMutationId = null, ...request } = given as Given<Fields>;
        const answer = await resolve(request as InputShapeFromFields<Fields>, context);
        return { ...answer, clientMutationId };
      },
    }),
  );
}

/** In this order the compiler can tell the types: the answer's from `resolve`, and what it is given from `input`. */
interface Mutation<Fields extends InputFieldMap, Answer extends object> {
  readonly description: string;
  /** Where it costs more than its values. */
  readonly cost?: FieldCost;
  readonly input: {
    /** Of the argument that holds it. */
    readonly argument: string;
    readonly description: string;
    readonly fields: (t: InputBuilder) => Fields;
  };
  readonly resolve: (
    input: InputShapeFromFields<Fields>,
    context: RequestContext,
  ) => Answer | Promise<Answer>;
  readonly payload: {
    readonly description: string;
    readonly fields: (t: PayloadBuilder<Answer>) => FieldMap;
  };
}

interface Echoed {
  readonly clientMutationId: string | null;
}
type Given<Fields extends InputFieldMap> = InputShapeFromFields<Fields> & {
  readonly clientMutationId?: string | null;
};

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
type InputBuilder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
type PayloadBuilder<Answer> = PothosSchemaTypes.ObjectFieldBuilder<Types, Answer>;
