import type { VisitedLink } from '../../domain/connect-flow.ts';
import { toReturnUrl } from '../../domain/return-url.ts';
import type { HttpAnswer } from '../../lib/http-message.ts';
import type { PageProblem } from '../../usecases/open-connect-page.ts';
import { html } from '../markup.ts';
import { PROBLEMS, TEXTS } from '../texts.ts';
import { toPage } from './page.ts';

/** Leads no further, and never away by itself: whoever made a link lead here must not choose where it goes on. */
export function toProblemPage(problem: PageProblem, visited?: VisitedLink): HttpAnswer {
  const { title, text } = PROBLEMS[problem];
  return toPage({
    status: STATUSES[problem],
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${visited && toWayBack(visited)}`,
    isPopup: visited?.link.mode === 'POPUP',
    headers: problem === 'TOO_MANY' ? { 'retry-after': '60' } : undefined,
  });
}

/** For what is no matter of links: the database is away, or a bug. */
export function toErrorPage({ status, title, text, id, headers }: ErrorPage): HttpAnswer {
  return toPage({
    ...{ status, title, headers },
    body: html`<h1>${title}</h1>
<p>${text}</p>
${id && html`<p class="soft">${TEXTS.number} ${id}</p>`}`,
  });
}

function toWayBack({ link, applicationName }: VisitedLink) {
  const { id, status, failure } = link;
  const result = { connectLinkId: id, status, error: failure ?? undefined };
  return html`<a class="go" href="${toReturnUrl(link.returnUrl, result)}" rel="noreferrer">${TEXTS.failed.go} <bdi>${applicationName}</bdi></a>`;
}

const STATUSES: Readonly<Record<PageProblem, number>> = {
  FORGED: 404,
  EXPIRED: 410,
  ALREADY_USED: 410,
  ENDED: 410,
  CANCELED: 410,
  WRONG_BROWSER: 400,
  WRONG_SITE: 403,
  UNCLEAR: 400,
  TOO_MANY: 429,
  NOT_SET_UP: 409,
};

interface ErrorPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Of the error, for support. */
  readonly id: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}
