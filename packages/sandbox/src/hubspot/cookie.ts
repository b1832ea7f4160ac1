/** The cookie that Cloudflare, in front of HubSpot, sets on every response. */
export const COOKIE =
  '__cf_bm=cookie-of-the-sandbox; path=/; domain=.hubapi.com; HttpOnly; Secure; SameSite=None';
