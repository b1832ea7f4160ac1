export function cutRelease(
  changelog: string,
  release: { readonly version: string; readonly day: string },
): string;
export function readBreaking(changelog: string): string;
