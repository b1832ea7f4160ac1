import pg from 'pg';

/** Prepares nothing by name: behind a pooler the next statement may meet another connection, which knows other names. */
export class NamelessClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has fifteen overloads, and all of them pass through here.
  override query(...given: any[]): any {
    const [statement, ...rest] = given;
    // A copy: statements are constants.
    const nameless = hasName(statement) ? { ...statement, name: undefined } : statement;
    return Reflect.apply(super.query, this, [nameless, ...rest]);
  }
}

function hasName(statement: unknown): statement is object {
  return typeof statement === 'object' && statement !== null && 'name' in statement && 'text' in statement;
}
