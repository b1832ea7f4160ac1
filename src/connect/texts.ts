import type { ConnectFailure } from '../domain/connect-link.ts';
import type { PageProblem } from '../usecases/start-authorization.ts';

/** What happened, and what to do next, for each problem. */
export const PROBLEMS: Readonly<Record<PageProblem, ProblemText>> = {
  FORGED: {
    status: 404,
    title: 'This link does not work',
    text: 'It may have been cut off or changed on its way. Open it again as you received it, or ask for a new one.',
  },
  EXPIRED: {
    status: 410,
    title: 'This link has expired',
    text: 'It took longer than the link was valid, and nothing was connected. Go back to where you got it and ask for a new one.',
  },
  ALREADY_USED: {
    status: 410,
    title: 'This link was used already',
    text: 'Each link works once. If you have connected your CRM with it, there is nothing left to do. Otherwise ask for a new one.',
  },
  ENDED: {
    status: 410,
    title: 'This link has ended',
    text: 'An earlier attempt with it did not succeed. Go back to where you got it and ask for a new one.',
  },
  CANCELED: {
    status: 410,
    title: 'This link is no longer valid',
    text: 'It was withdrawn. If you still want to connect your CRM, ask for a new one.',
  },
  WRONG_BROWSER: {
    status: 400,
    title: 'Please continue where you began',
    text: 'This page belongs to a window or browser that began to connect a CRM, and it is not this one, or cookies are blocked here. Nothing was connected. Open the link again and go through it in one browser.',
  },
  WRONG_SITE: {
    status: 403,
    title: 'This request came from another page',
    text: 'Nothing was connected. Open the link itself and press the button there.',
  },
  UNCLEAR: {
    status: 400,
    title: 'Not connected',
    text: 'Your CRM did not say which of your open windows this answer is for. Nothing was connected. Close them, and open the link that you want to use again.',
  },
  TOO_MANY: {
    status: 429,
    title: 'Too many attempts',
    text: 'Wait a few minutes and try again, or ask for a new link.',
  },
  NOT_SET_UP: {
    status: 409,
    title: 'This CRM cannot be connected at the moment',
    text: 'The application is not set up for it. Tell the people who sent you here.',
  },
};

export const FAILURES: Readonly<Record<ConnectFailure, string>> = {
  ACCESS_DENIED:
    'You did not agree, so nothing was connected. If that was a mistake, ask for a new link.',
  EXPIRED: 'It took longer than the link was valid. Ask for a new one.',
  ALREADY_USED: 'This link was used already. Ask for a new one.',
  WRONG_BROWSER:
    'This was not the browser that began. Open the link again and go through it in one browser.',
  NOT_CONFIRMED: 'The application did not confirm the connection in time. Ask for a new link.',
  ACCOUNT_MISMATCH:
    'This is another account than the one that was connected before. Log in to that account, or ask for a link that allows a change.',
  MISSING_SCOPES:
    'Not everything that is needed was granted. Ask for a new link and agree to all of it.',
  NO_REFRESH_TOKEN:
    'Your CRM gives access for a moment only. An administrator has to allow lasting access for this app, then ask for a new link.',
  ADMIN_APPROVAL_REQUIRED:
    'Your CRM requires that an administrator approves this app first. Ask your administrator to install or approve it, then ask for a new link.',
  VENDOR_REFUSED:
    'Your CRM refused the request. Tell the people who sent you here, and ask for a new link.',
  VENDOR_UNAVAILABLE: 'Your CRM could not be reached. Wait a few minutes and ask for a new link.',
};

/** Errors unrelated to links, by status. */
export const ERRORS: Readonly<Record<number, Omit<ProblemText, 'status'>>> = {
  405: { title: 'This page cannot be used like this', text: 'Open the link as you received it.' },
  429: PROBLEMS.TOO_MANY,
  503: { title: 'Please try again in a moment', text: 'Too much is going on here at the moment.' },
};

export const OTHER_ERROR = {
  title: 'Something went wrong',
  text: 'Nothing was connected by this. Open the link again, or ask for a new one.',
};

interface ProblemText {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}
