import { backend } from './backend.ts';

/**
 * Where the window of a CRM could not tell this page how it ended, it comes back here itself, with the code in its address. The
 * page that opened it asks for the link's status meanwhile.
 */
export async function finishConnecting(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const [connectLinkId, code] = [query.get('connect_link_id'), query.get('code')];
  if (connectLinkId === null) return;
  history.replaceState(null, '', location.pathname);
  if (code !== null) await backend.confirm({ connectLinkId, code });
}
