import { type Of, words, wordsOf } from './shape.ts';

export const connectFailure = words(
  'ConnectFailure',
  'Reason why a connect link ended without a connection.',
  {
    ACCESS_DENIED: 'The customer denied access on the provider’s consent page.',
    EXPIRED: 'The link expired.',
    ALREADY_USED: 'The link was already used or had already ended.',
    WRONG_BROWSER: 'The callback came from a different browser than the one that started the flow.',
    NOT_CONFIRMED: 'The one-time code was not redeemed within ten minutes.',
    ACCOUNT_MISMATCH:
      'The account differs from the one connected before, and the link does not allow a change.',
    MISSING_SCOPES: 'Required scopes were not granted.',
    NO_REFRESH_TOKEN: 'The provider issued no refresh token.',
    ADMIN_APPROVAL_REQUIRED: 'An administrator of the account must approve the app first.',
    VENDOR_REFUSED: 'The provider refused for another reason, such as a wrong client secret.',
    VENDOR_UNAVAILABLE: 'The provider could not be reached.',
  },
);
export const CONNECT_FAILURES = wordsOf(connectFailure);
export type ConnectFailure = Of<typeof connectFailure>;
