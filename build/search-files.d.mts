export function listSearchFiles(): Promise<Readonly<Record<'GraphQL' | 'REST', readonly string[]>>>;
