import { type Answer, type Headers, jsonAnswer, textAnswer } from '../http.ts';
import type { SalesforceError } from './errors.ts';
import type { SalesforceAccount } from './types.ts';

/** A response of the API, with its common headers. */
export function apiAnswer(
  reply: Reply,
  account: SalesforceAccount | undefined,
  now: number,
): Answer {
  return jsonAnswer(reply.status, reply.body, {
    ...reply.headers,
    'content-type': 'application/json;charset=UTF-8',
    'cache-control': 'no-cache,must-revalidate,max-age=0,no-store,private',
    'set-cookie':
      'BrowserId=cookie-of-the-sandbox; domain=.salesforce.com; path=/; SameSite=None; Secure',
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
    ...(account && limitInfo(account, now)),
  });
}

/** An error body is always an array, also for one error. The order of its keys is not guaranteed. */
export function toErrorReply(refusal: SalesforceError, errorCodeFirst: boolean): Reply {
  const { status, errorCode, message, fields, more } = refusal;
  const error = errorCodeFirst ? { errorCode, message } : { message, errorCode };
  return { status, body: [{ ...error, ...(fields && { fields }), ...more }] };
}

/** The web server in front of the API responds with HTML errors. */
export function htmlAnswer(status: number, title: string): Answer {
  return textAnswer(status, htmlPage(status, title));
}

export function htmlPage(status: number, title: string): string {
  return `<html>\n<head><title>Error ${status} ${title}</title></head>\n<body><h2>HTTP ERROR ${status}</h2>\n<p>Reason: <pre>    ${title}</pre></p></body>\n</html>\n`;
}

function limitInfo({ limits, quirks, state }: SalesforceAccount, now: number): Headers {
  const used = state.requests.used(now);
  const usage = `api-usage=${used}/${limits?.requestsPerDay ?? UNLIMITED}`;
  const more = {
    plain: '',
    'per-app': `; per-app-api-usage=${used}/250(appName=crossbook)`,
    bursts: '; api-bursts=1/750',
  };
  return { 'sforce-limit-info': usage + more[quirks.limitInfo] };
}

const UNLIMITED = 100_000;

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Headers;
}
