import { CrossbookError, type ErrorBody, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import { jsonLength } from '../lib/json.ts';
import type { RequestContext } from '../request/context.ts';
import { readArguments } from './schemas.ts';
import type { Charge, Tool } from './tools/tool.ts';

/** Runs a tool. Never rejects: what fails is the result, so that the agent can act on it. */
export async function callTool(
  context: RequestContext,
  tool: Tool,
  { args: unread, charge, summaryOnly }: ToolCall,
): Promise<CallToolResult> {
  const { requestLog } = context;
  requestLog.record({ operation: tool.name });
  return requestLog.operation(tool.name, async () => {
    try {
      const args = readArguments(tool.input, unread);
      const { structured, text, isError = false } = await tool.run(context, args, charge);
      await context.revalidateReads();
      if (jsonLength(structured, MAX_RESULT_BYTES) > MAX_RESULT_BYTES) throw resultTooLarge();
      return toResult(structured, summaryOnly ? text : JSON.stringify(structured), isError);
    } catch (thrown) {
      const { error, text } = toToolError(context, thrown);
      return toResult({ error }, summaryOnly ? text : JSON.stringify({ error }), true);
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

/**
 * An error as the other APIs return it, and the same in our own words: the detail of a provider's error may quote the
 * CRM, so it is in the structured content only. Where the customer has to connect again, both say how.
 */
export function toToolError({ requestLog, caller }: RequestContext, thrown: unknown): ToolError {
  const failure = toCrossbookError(thrown);
  requestLog.failed(failure);
  const error = toErrorBody(failure, caller?.application.name ?? null);
  const { code, title, detail } = error;
  if (code === 'REMOTE_PROVIDER_UNAUTHORIZED') {
    const remedy = caller?.customer ? ASK_APPLICATION : USE_TOOL;
    return {
      error: { ...error, detail: `${detail} ${remedy}` },
      text: `${code}: ${title}. ${remedy}`,
    };
  }
  const isOurs = !code.startsWith('REMOTE_PROVIDER_');
  return { error, text: `${code}: ${isOurs ? detail : `${title}. See structuredContent.`}` };
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
    `The result has more than ${MAX_RESULT_BYTES / 1024} KiB: request fewer with "first".`,
  );
}

/** The result of `tools/call`. */
interface CallToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: object;
  readonly isError?: boolean;
}

interface ToolCall {
  /** The arguments, unread. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly charge: Charge;
  /** Whether the text is a summary without text of a CRM. Else it is the JSON of the structured content. */
  readonly summaryOnly: boolean;
}

export interface ToolError {
  readonly error: ErrorBody;
  readonly text: string;
}
