import { hubSpotOfArguments, readBody, send, serve } from './serve.ts';

/** The limit: HubSpot's own questions, one in a line, and its own answers in a row. Nothing is parsed. */
const hubspot = hubSpotOfArguments();

serve(async (request, response) => {
  const questions = (await readBody(request)).split('\n');
  const answers = await Promise.all(questions.map((question) => hubspot.post(question)));
  send(response, Buffer.concat(answers));
});
