/** Also of the parts of a composite request. */
export function readWriteHeaders(headers: Readonly<Record<string, unknown>>) {
  const since = Date.parse(String(headers['if-unmodified-since'] ?? ''));
  return {
    ...(!Number.isNaN(since) && { ifUnmodifiedSince: since }),
    allowsDuplicates: /allowSave=true/i.test(String(headers['sforce-duplicate-rule-header'] ?? '')),
  };
}
