import { bearerOf, jsonAnswer, readForm, readJson, type SandboxRequest } from '../http.ts';
import { htmlAnswer } from './answers.ts';
import { answerAuthorize } from './authorize.ts';
import { answerApi } from './gate/api.ts';
import { listVersions } from './gate/versions.ts';
import { answerIntrospect, answerRevoke, answerToken, answerUserInfo } from './oauth.ts';
import type { SalesforceRoute } from './types.ts';

export function route(request: SandboxRequest): SalesforceRoute {
  const path = request.path.replace(/\/+$/, '');
  if (path === '/services/data')
    return { ...withoutAccount('versions'), answer: () => jsonAnswer(200, listVersions()) };
  if (path.startsWith('/services/data/')) {
    return {
      operation: operationOf(path, request.method),
      inputs: inputsOf(request),
      token: bearerOf(request),
      answer: answerApi,
    };
  }
  if (path.startsWith('/services/oauth2/'))
    return routeOAuth(request, path.slice('/services/oauth2/'.length));
  if (path.startsWith('/id/')) return userInfo(request);
  return { ...withoutAccount('unknown'), answer: () => htmlAnswer(404, 'URL No Longer Exists') };
}

function routeOAuth(request: SandboxRequest, name: string): SalesforceRoute {
  const form = readForm(request);
  const token = form.get('token') ?? request.query.get('token') ?? undefined;
  switch (name) {
    case 'authorize':
      return { ...withoutAccount('oauth.authorize'), answer: answerAuthorize };
    case 'token':
      return {
        operation: 'oauth.token',
        inputs: 1,
        answer: answerToken,
        token: form.get('refresh_token') ?? form.get('code') ?? undefined,
      };
    case 'revoke':
      return { operation: 'oauth.revoke', inputs: 1, token, answer: answerRevoke };
    case 'introspect':
      return { operation: 'oauth.introspect', inputs: 1, token, answer: answerIntrospect };
    case 'userinfo':
      return userInfo(request);
    default:
      return {
        ...withoutAccount('unknown'),
        answer: () => htmlAnswer(404, 'URL No Longer Exists'),
      };
  }
}

/** `/services/data/v68.0/composite/sobjects/Contact` is `composite.sobjects`. */
function operationOf(path: string, method: string): string {
  const [, , , , resource, second, third] = path.split('/');
  if (resource === undefined) return 'resources';
  if (resource === 'query' || resource === 'queryAll')
    return second === undefined ? resource : 'query.more';
  const isWrite = method === 'PATCH' || method === 'POST' || method === 'DELETE';
  if (resource === 'composite' && second === 'sobjects' && third === undefined && isWrite)
    return 'composite.write';
  if (resource === 'composite') return second === undefined ? 'composite' : `composite.${second}`;
  if (resource === 'sobjects' && second !== undefined) {
    if (isWrite) return 'sobjects.write';
    if (third === undefined) return 'sobjects.object';
    return OF_OBJECT.has(third) ? `sobjects.${third}` : 'sobjects.get';
  }
  return RESOURCES.has(resource) ? resource : 'unknown';
}

/** The number of requests or ids in a body. */
function inputsOf(request: SandboxRequest): number {
  if (!request.path.includes('/composite') || request.body === '') return 1;
  const body = readJson(request);
  if (typeof body !== 'object' || body === null) return 1;
  const list = Object.values(body).find((value) => Array.isArray(value));
  return Array.isArray(list) ? list.length : 1;
}

function userInfo(request: SandboxRequest): SalesforceRoute {
  return {
    operation: 'oauth.userinfo',
    inputs: 1,
    token: bearerOf(request),
    answer: answerUserInfo,
  };
}

/** Calls without a token count for no account. */
function withoutAccount(operation: string): Omit<SalesforceRoute, 'answer'> {
  return { operation, inputs: 1, token: undefined };
}

const OF_OBJECT = new Set(['describe', 'updated', 'deleted']);
const RESOURCES = new Set(['sobjects', 'limits', 'search', 'parameterizedSearch']);
