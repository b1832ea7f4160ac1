import type { CallToolResult } from '@modelcontextprotocol/server';
import { CrossbookError, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import { jsonLength } from '../lib/json.ts';
import type { RequestContext } from '../request/context.ts';
import { readArguments } from './schemas.ts';
import type { Tool } from './tools/tool.ts';

/** Runs a tool. Never rejects: what fails is the result, so that the agent can act on it. */
export function callTool(
  context: RequestContext,
  tool: Tool,
  given: unknown,
): Promise<CallToolResult> {
  const { requestLog, allowance } = context;
  requestLog.record({ operation: tool.name });
  return requestLog.operation(tool.name, async () => {
    try {
      const {
        structured,
        text,
        isError = false,
      } = await tool.run(context, readArguments(tool.input, given));
      await context.revalidateReads();
      const bytes = jsonLength(structured, MAX_RESULT_BYTES);
      if (bytes > MAX_RESULT_BYTES) throw resultTooLarge();
      allowance.consumeBytes(bytes);
      return toResult(structured, text, isError);
    } catch (thrown) {
      const error = toToolError(context, thrown);
      return toResult({ error }, describeError(error), true);
    }
  });
}

function toResult(structured: object, text: string, isError: boolean): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...structured },
    ...(isError && { isError }),
  };
}

/** An error as the other APIs return it. Where the customer has to connect again, its detail says how. */
export function toToolError({ requestLog, caller }: RequestContext, thrown: unknown): ToolError {
  const error = toCrossbookError(thrown);
  requestLog.failed(error);
  const body = toErrorBody(error, caller?.application.name ?? null);
  if (error.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') return body;
  return { ...body, detail: `${body.detail} ${caller?.customer ? ASK_APPLICATION : USE_TOOL}` };
}

/** In our own words: the detail may quote the CRM, so it is in the structured content only. */
export function describeError({ code, title }: ToolError): string {
  return `${code}: ${title}. The details are in structuredContent.`;
}

const USE_TOOL =
  'The customer has to connect the CRM again: create_connect_link makes a link for that.';
const ASK_APPLICATION =
  'The customer has to connect the CRM again, through a connect link of the application.';

/** More would fill the context of an agent, and take long to write. */
const MAX_RESULT_BYTES = 1024 * 1024;

function resultTooLarge(): CrossbookError {
  return new CrossbookError(
    'BAD_REQUEST',
    `The result has more than ${MAX_RESULT_BYTES / 1024} KiB: ask for fewer with "first".`,
  );
}

export type ToolError = ReturnType<typeof toErrorBody>;
