/** An object as the platform shows it (platform API). The judge reads it without the worker's schemas. */
export type Wire = Readonly<Record<string, unknown>>;

/** The contact for whom private time is booked. It is no real customer, and no mirror shows it. */
export const HOUSE = '00000000-0000-4000-8000-00000000b10c';

/** Whether an appointment is a block, which only keeps private time unbookable. */
export function isBlock(appointment: Wire): boolean {
  return appointment['contact_id'] === HOUSE;
}

/** What the judge knows about the company besides appointments and contacts. */
export interface CompanyNames {
  /** Resource id to name. */
  readonly resources: ReadonlyMap<string, string>;
  /** Branch id to name. */
  readonly branches: ReadonlyMap<string, string>;
  /** Resource id to the calendar that the mapping assigns. */
  readonly calendars: ReadonlyMap<string, string>;
  /** Service id to the calendar of the team that provides it. */
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

/** The value as text; null and absent values become ''. */
export function wireText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(wireText) : [];
}
