import type { Endpoint } from '../router.ts';
import type { DocsDemo } from './page.ts';

/**
 * The document for people: it can be read and tried, without a request to any other host. The page is loaded with the
 * first request for it.
 */
export function createDocsEndpoint(demo: DocsDemo | undefined): Endpoint {
  return {
    method: 'GET',
    path: '/docs',
    async answer() {
      const { renderPage, POLICY } = await import('./page.ts');
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      };
      return { status: 200, headers, body: renderPage(demo) };
    },
  };
}
