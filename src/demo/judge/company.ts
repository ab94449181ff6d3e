/** An object as the platform shows it (platform API). The judge reads it with its own eyes: no schema of the worker. */
export type Wire = Readonly<Record<string, unknown>>;

/** The contact for whom private time is booked. It stands for nobody, and no mirror shows it. */
export const HOUSE = '00000000-0000-4000-8000-00000000b10c';

/** Whether an appointment only keeps private time unbookable. */
export function isBlock(appointment: Wire): boolean {
  return appointment['contact_id'] === HOUSE;
}

/** What the judge knows of the company beside its appointments and contacts. */
export interface CompanyNames {
  /** Resource id to name. */
  readonly resources: ReadonlyMap<string, string>;
  /** Branch id to name. */
  readonly branches: ReadonlyMap<string, string>;
  /** Resource id to the calendar that the mapping gives it. */
  readonly calendars: ReadonlyMap<string, string>;
  /** Service id to the calendar of the team that gives it. */
  readonly teams: ReadonlyMap<string, string>;
}

export function namesOf(
  truth: { resources(): readonly Wire[]; branches(): readonly Wire[] },
  { calendars, teams = new Map() }: Pick<CompanyNames, 'calendars'> & Partial<Pick<CompanyNames, 'teams'>>,
): CompanyNames {
  const byId = (things: readonly Wire[]) =>
    new Map(things.map((one) => [wireText(one['id']), wireText(one['name'])]));
  return { resources: byId(truth.resources()), branches: byId(truth.branches()), calendars, teams };
}

/** The value as text; null and absent values are empty. */
export function wireText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(wireText) : [];
}
