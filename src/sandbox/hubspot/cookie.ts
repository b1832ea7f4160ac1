/** Cloudflare stands in front of HubSpot and gives everybody a cookie. */
export const COOKIE =
  '__cf_bm=cookie-of-the-sandbox; path=/; domain=.hubapi.com; HttpOnly; Secure; SameSite=None';
