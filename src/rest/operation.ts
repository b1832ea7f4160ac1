import type * as z from 'zod';
import type { HttpResponse } from '../lib/http-message.ts';
import type { RequestContext } from '../request/context.ts';
import { type RawInput, readInput } from './input/read-input.ts';

/**
 * One operation: its schema checks what arrives, types `handle`, and is what the OpenAPI document says. Who calls is
 * settled before anything of the request is looked at.
 */
export function defineOperation<Parts extends InputParts>(definition: Definition<Parts>): Operation {
  const { handle, ...facts } = definition;
  return {
    ...facts,
    async run(context, arrival) {
      context.requireCaller();
      return handle(context, await readInput(definition.input, arrival));
    },
  };
}

export interface Operation extends OperationFacts {
  readonly input: z.ZodObject<InputParts>;
  run(context: RequestContext, arrival: RawInput): Promise<HttpResponse>;
}

/** The four places of a request. `body` is `z.undefined()` where none is read. */
export type InputParts = {
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
  readonly headers: z.ZodObject;
  readonly body: z.ZodType;
};

interface OperationFacts {
  readonly id: string;
  readonly method: RestMethod;
  /** Below the prefix of its group; parameters in braces. */
  readonly path: string;
  readonly group: OperationGroup;
  readonly summary: string;
  readonly description: string;
  /** Who may call: an application by its key, a customer by its token. */
  readonly callers: readonly ('apiKey' | 'customerToken')[];
  readonly bodyExample?: unknown;
  /** Absent where success has no body: then `emptyAnswers` says what it answers. */
  readonly answer?: ResponseSpec;
  /** Answers without a body, by status: what they mean. */
  readonly emptyAnswers?: Readonly<Record<number, string>>;
  /** The statuses of the errors that this operation can answer with. */
  readonly refusals: readonly number[];
}

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type OperationGroup = 'contacts' | 'customers' | 'oauth_clients' | 'webhooks';

export interface ResponseSpec {
  /** Absent: 200. */
  readonly status?: 201 | 202;
  readonly description: string;
  readonly shape: z.ZodType;
  readonly example: unknown;
  /** Headers of interest and what they say. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Definition<Parts extends InputParts> extends OperationFacts {
  readonly input: z.ZodObject<Parts>;
  handle(context: RequestContext, input: z.output<z.ZodObject<Parts>>): Promise<HttpResponse>;
}
