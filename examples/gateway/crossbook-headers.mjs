/**
 * The headers that either gateway sends to Crossbook. A browser’s customer token is forwarded: it is limited to its customer whatever the operation requests. The API key is the gateway’s own and gives access to all customers, so it is added only for clients that the gateway itself has authenticated: here, by a secret of the back office.
 * @param {(name: string) => string | null | undefined} readHeader Of the request to the gateway.
 * @param {{ apiKey: string, backOffice: string }} secrets
 */
export function toCrossbookHeaders(readHeader, { apiKey, backOffice }) {
  const authorization = readHeader('authorization');
  if (!authorization) return {};
  if (authorization !== `Bearer ${backOffice}`) return { authorization };
  const customerId = readHeader('x-customer-id');
  return { 'x-api-key': apiKey, ...(customerId && { 'x-customer-id': customerId }) };
}
