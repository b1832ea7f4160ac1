import type { Fault } from '../faults.ts';
import { htmlPage } from './answers.ts';

/** Salesforce's named faults, for conditions that the sandbox does not simulate. None has Retry-After. */
export const SALESFORCE_FAULTS: Readonly<Record<string, Fault>> = {
  'session-expired': refusal(401, 'INVALID_SESSION_ID', 'Session expired or invalid'),
  'session-not-for-rest': refusal(
    401,
    'INVALID_SESSION_ID',
    'This session is not valid for use with the REST API',
  ),
  // The error for an expired access token in JWT form.
  'auth-header-invalid': refusal(401, 'INVALID_AUTH_HEADER', 'INVALID_AUTH_HEADER'),
  'app-not-attached': refusal(401, 'INVALID_SESSION_ID', 'Connected app is not attached to Agent'),
  'total-requests': refusal(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
  'concurrent-requests': refusal(
    403,
    'REQUEST_LIMIT_EXCEEDED',
    'ConcurrentPerOrgLongTxn Limit exceeded.',
  ),
  'api-disabled': refusal(
    403,
    'API_DISABLED_FOR_ORG',
    'API is not enabled for this Organization or Partner',
  ),
  'insufficient-access': refusal(
    403,
    'INSUFFICIENT_ACCESS',
    'insufficient access rights on object id',
  ),
  'not-found': refusal(404, 'NOT_FOUND', 'The requested resource does not exist'),
  conflict: refusal(409, 'CONFLICT', 'The request could not be completed'),
  locked: refusal(423, 'UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record'),
  'invalid-locator': refusal(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator'),
  'query-timeout': refusal(400, 'QUERY_TIMEOUT', 'Your query request was running for too long.'),
  'query-too-complicated': refusal(400, 'QUERY_TOO_COMPLICATED', 'Query is too complicated'),
  'error-code-first': {
    kind: 'answer',
    status: 404,
    body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
  },
  'rate-limited': refusal(429, 'REQUEST_LIMIT_EXCEEDED', 'Too many requests'),
  'server-error': refusal(
    500,
    'UNKNOWN_EXCEPTION',
    'An unexpected error occurred. Please include this ErrorId if you contact support: 1234567890-1 (1)',
  ),
  unavailable: refusal(503, 'SERVER_UNAVAILABLE', 'Server is unavailable'),
  maintenance: html(503, 'We are down for maintenance'),
  'bad-gateway': html(502, 'Bad Gateway'),
  'out-of-reach': html(420, 'We’ve hit a snag'),
  'uri-too-long': html(414, 'URI Too Long'),
  'headers-too-long': html(431, 'Request Header Fields Too Large'),
  xml: {
    kind: 'answer',
    status: 400,
    body: '<?xml version="1.0" encoding="UTF-8"?><Errors><Error><errorCode>MALFORMED_QUERY</errorCode><message>unexpected token</message></Error></Errors>',
    headers: { 'content-type': 'application/xml;charset=UTF-8' },
  },
  'refresh-refused': oauth('invalid_grant', 'expired access/refresh token'),
  'authentication-failure': oauth('invalid_grant', 'authentication failure'),
  'ip-restricted': oauth('invalid_grant', 'ip restricted'),
  'login-hours': oauth('invalid_grant', 'invalid login hours'),
  'refresh-in-progress': oauth('invalid_grant', 'token request is already being processed'),
  'inactive-user': oauth('inactive_user', 'user is inactive'),
  'inactive-org': oauth('inactive_org', 'organization is inactive'),
  'app-blocked': oauth('OAUTH_APP_BLOCKED', 'this app is blocked by admin'),
  'app-not-installed': oauth('invalid_client', 'app must be installed into org'),
  'app-not-approved': oauth('invalid_app_access', 'user is not admin approved to access this app'),
  'approval-error': oauth(
    'OAUTH_APPROVAL_ERROR_GENERIC',
    'An unexpected error has occured during authentication. Please try again.',
  ),
  'token-rate-limited': oauth(
    'rate_limit_exceeded',
    'number of login attempts has exceeded the limit',
  ),
};

function refusal(status: number, errorCode: string, message: string): Fault {
  return { kind: 'answer', status, body: [{ message, errorCode }] };
}

function html(status: number, title: string): Fault {
  return { kind: 'answer', status, body: htmlPage(status, title) };
}

function oauth(error: string, description: string): Fault {
  return { kind: 'answer', status: 400, body: { error, error_description: description } };
}
