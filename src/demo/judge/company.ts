/** An object as the platform shows it (platform API). The judge reads it with its own eyes: no schema of the worker. */
export type Wire = Readonly<Record<string, unknown>>;

/** What the judge knows of the company beside its appointments and contacts. */
export interface CompanyNames {
  /** Resource id to name. */
  readonly resources: ReadonlyMap<string, string>;
  /** Branch id to name. */
  readonly branches: ReadonlyMap<string, string>;
  /** Resource id to the calendar that the mapping gives it. */
  readonly calendars: ReadonlyMap<string, string>;
}

export function namesOf(
  truth: { resources(): readonly Wire[]; branches(): readonly Wire[] },
  calendars: ReadonlyMap<string, string>,
): CompanyNames {
  const byId = (things: readonly Wire[]) =>
    new Map(things.map((one) => [text(one['id']), text(one['name'])]));
  return { resources: byId(truth.resources()), branches: byId(truth.branches()), calendars };
}

/** The value as text; null and absent values are empty. */
export function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(text) : [];
}
