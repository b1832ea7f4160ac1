import { backend } from './backend.ts';

/**
 * If the popup cannot post a message to this page, it redirects back here itself, with the code in its URL. The
 * page that opened it polls the link's status meanwhile.
 */
export async function finishConnecting(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const [connectLinkId, code] = [query.get('connect_link_id'), query.get('code')];
  if (connectLinkId === null) return;
  history.replaceState(null, '', location.pathname);
  if (code !== null) await backend.confirm({ connectLinkId, code });
}
