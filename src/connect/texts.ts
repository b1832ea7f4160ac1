import type { ConnectFailure } from '../domain/connect-failure.ts';
import type { PageProblem } from '../usecases/start-authorization.ts';

/** What happened, and what to do next, for each problem. */
export const PROBLEMS: Readonly<Record<PageProblem, ProblemText>> = {
  FORGED: {
    status: 404,
    title: 'This link does not work',
    text: 'Part of the address may be missing. Open the link again as you received it, or ask for a new one.',
  },
  EXPIRED: {
    status: 410,
    title: 'This link has expired',
    text: 'Links are valid for a short time, and nothing was changed. Go back to where you got the link and ask for a new one.',
  },
  ALREADY_USED: {
    status: 410,
    title: 'This link was already used',
    text: 'Each link works once. If you were done, there is nothing left to do. Otherwise ask for a new link.',
  },
  ENDED: {
    status: 410,
    title: 'This link no longer works',
    text: 'An earlier attempt with this link did not succeed. Go back to where you got it and ask for a new one.',
  },
  CANCELED: {
    status: 410,
    title: 'This link is no longer valid',
    text: 'It was canceled. Ask for a new link if you still need one.',
  },
  WRONG_BROWSER: {
    status: 400,
    title: 'Please continue in the window where you started',
    text: 'You started in another browser, or cookies are blocked in this one. Nothing was changed. Open the link again, and use one browser until you are done.',
  },
  WRONG_SITE: {
    status: 403,
    title: 'This request came from another website',
    text: 'Nothing was changed. Open the link itself and press the button there.',
  },
  UNCLEAR: {
    status: 400,
    title: 'Not connected',
    text: 'You have several of these windows open, and your CRM did not say which one it answered. Nothing was connected. Close them, and open the link again.',
  },
  TOO_MANY: {
    status: 429,
    title: 'Too many attempts',
    text: 'Wait a few minutes and try again.',
  },
  NOT_SET_UP: {
    status: 409,
    title: 'This CRM cannot be connected at the moment',
    text: 'The application is not set up for it yet. Please tell the people who sent you the link.',
  },
};

export const FAILURES: Readonly<Record<ConnectFailure, string>> = {
  ACCESS_DENIED: 'You did not agree, so nothing was connected.',
  EXPIRED: 'The link has expired.',
  ALREADY_USED: 'This link was already used.',
  WRONG_BROWSER: 'You started in another browser. Use one browser until you are done.',
  NOT_CONFIRMED: 'The application did not confirm the connection in time.',
  ACCOUNT_MISMATCH:
    'You logged in to a different account than before. Log in to the account that was connected, or ask for a link that allows you to change it.',
  MISSING_SCOPES:
    'Some of the required permissions were not granted. Allow all of them the next time.',
  NO_REFRESH_TOKEN:
    'Your CRM allows access only for a short time. Ask your administrator to allow lasting access for this app first.',
  ADMIN_APPROVAL_REQUIRED:
    'Your CRM requires that an administrator approves this app first. Ask your administrator to install or approve it.',
  VENDOR_REFUSED:
    'Your CRM refused the request. If it does so again, tell the people who sent you here.',
  VENDOR_UNAVAILABLE: 'Your CRM could not be reached. Wait a few minutes.',
};

/** Errors unrelated to links, by status. */
export const ERRORS: Readonly<Record<number, Omit<ProblemText, 'status'>>> = {
  405: { title: 'This page cannot be opened like this', text: 'Open the link as you received it.' },
  429: PROBLEMS.TOO_MANY,
  503: {
    title: 'Please try again in a moment',
    text: 'There are too many requests at the moment.',
  },
};

export const OTHER_ERROR = {
  title: 'Something went wrong',
  text: 'Nothing was changed. Open the link again, or ask for a new one.',
};

interface ProblemText {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}
