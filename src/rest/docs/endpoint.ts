import type { Endpoint } from '../router.ts';

/**
 * The document for people: it can be read and tried, without a request to any other host. The page is loaded with the
 * first request for it.
 */
export function createDocsEndpoint(): Endpoint {
  return {
    method: 'GET',
    path: '/docs',
    async answer() {
      const { PAGE, POLICY } = await import('./page.ts');
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      };
      return { status: 200, headers, body: PAGE };
    },
  };
}
