import { findPage } from './find-page.ts';
import { hubSpotOfArguments, readBody, send, serve } from './serve.ts';

/** A hand-written endpoint for exactly this task: node:http, undici, parse, map, stringify. */
const hubspot = hubSpotOfArguments();

serve(async (request, response) => {
  const { emails } = JSON.parse(await readBody(request)) as { emails: string[] };
  send(response, JSON.stringify({ data: { searchContacts: await findPage(hubspot, emails) } }));
});
