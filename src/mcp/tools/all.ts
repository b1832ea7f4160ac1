import { type JsonSchema, toInputSchema } from '../schemas.ts';
import { createConnectLinkTool } from './connect-links.ts';
import { getContactTool, searchContactsTool } from './contacts.ts';
import { listCustomFieldsTool } from './custom-fields.ts';
import { listConnectionsTool, listCustomersTool } from './customers.ts';
import { CUSTOMER_ID, type Tool } from './tool.ts';

const TOOLS: readonly Tool[] = [
  searchContactsTool,
  getContactTool,
  listConnectionsTool,
  listCustomFieldsTool,
  listCustomersTool,
  createConnectLinkTool,
];

/** The tools of a caller: a customer token has those that read its customer, and no argument that names one. */
export function listTools(hasKey: boolean): readonly ListedTool[] {
  return hasKey ? OF_KEYS : OF_TOKENS;
}

/** Undefined if no tool has this name, or the caller may not use it. */
export function findTool(name: string, hasKey: boolean): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name && (hasKey || !tool.needsKey));
}

function toListed(tool: Tool, without: readonly string[]): ListedTool {
  const { name, title, description, annotations, input, output } = tool;
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: toInputSchema(input, without),
    outputSchema: output,
  };
}

const OF_KEYS = TOOLS.map((tool) => toListed(tool, []));
const OF_TOKENS = TOOLS.filter(({ needsKey }) => !needsKey).map((tool) =>
  toListed(tool, [CUSTOMER_ID]),
);

/** A tool as `tools/list` returns it. */
interface ListedTool extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations'> {
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
}
