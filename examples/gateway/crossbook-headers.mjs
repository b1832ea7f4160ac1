/**
 * What either gateway sends to Crossbook. A browser’s customer token is passed on: it holds whatever the operation says. The
 * API key is the gateway’s own and opens all customers, so it is given only to whom the gateway has authenticated itself: here,
 * by a secret of the back office.
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
