import { hubSpotOfArguments, readBody, send, serve } from './serve.ts';

/**
 * The upper limit: forwards HubSpot's own requests, one per line, and concatenates its responses. Nothing is
 * parsed.
 */
const hubspot = hubSpotOfArguments();

serve(async (request, response) => {
  const questions = (await readBody(request)).split('\n');
  const answers = await Promise.all(questions.map((question) => hubspot.post(question)));
  send(response, Buffer.concat(answers));
});
