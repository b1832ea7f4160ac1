/** `Retry-After` in either form, as milliseconds from now; undefined where there is none or it makes no sense. */
export function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  if (/^\d{1,8}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const at = Date.parse(value);
  if (Number.isNaN(at) || !/[a-z]/i.test(value)) return undefined;
  // The sender's clock rather than ours: the two need not agree.
  const sentAt = Date.parse(headers['date'] ?? '');
  return Math.max(0, at - (Number.isNaN(sentAt) ? Date.now() : sentAt));
}
