// Objects of a company that is never held in memory: each object is computed from its number.
const PEOPLE = 10;
const HOUR_MS = 3_600_000;

export const PROJECT_ID = uuid('0', 0);
export const BRANCH_ID = uuid('1', 0);

/** An id that contains its number. The digit distinguishes the lists. */
export function uuid(digit: string, number: number): string {
  return `${digit.repeat(8)}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function numberOf(id: string): number {
  return Number.parseInt(id.slice(-12), 16);
}

export const people = Array.from({ length: PEOPLE }, (_, index) => ({
  id: uuid('2', index),
  name: `Person ${index + 1}`,
  calendarId: `person-${index + 1}@clinic.example`,
}));

export const directory = {
  resources: people.map(({ id, name }) => ({
    ...{ object: 'resource', id, name, project_id: PROJECT_ID, branch_id: BRANCH_ID },
    ...{ kind: 'person', position_title: null, capacity: 1, timezone: 'Europe/Moscow' },
  })),
  branches: [
    {
      ...{ object: 'branch', id: BRANCH_ID, project_id: PROJECT_ID, name: 'Central' },
      ...{ address: null, phone: null, timezone: 'Europe/Moscow' },
    },
  ],
  services: [{ object: 'service', id: uuid('3', 0), project_id: PROJECT_ID, name: 'Haircut' }],
};

/** Platform API, Contact. */
export function contact(number: number, atMs: number) {
  const at = new Date(atMs).toISOString();
  return {
    ...{ object: 'contact', id: uuid('c', number), project_id: PROJECT_ID, type: 'person' },
    ...{ name: `Customer ${number}`, first_name: 'Customer', last_name: String(number) },
    ...{
      email: `customer${number}@example.com`,
      phone: `+7912${String(1_000_000 + number)}`,
      position: null,
    },
    ...{ lifecycle: 'customer', status: 'active', source: 'manual', metadata: null },
    ...{ created_at: at, updated_at: at },
  };
}

/** Platform API, Appointment, within the coming weeks. `change` distinguishes its states. */
export function appointment(number: number, state: { changedAtMs: number; change: number; baseMs: number }) {
  const startsAtMs = state.baseMs + (24 + (number % 500)) * HOUR_MS + state.change * 60_000;
  const person = people[number % PEOPLE];
  return {
    ...{ object: 'appointment', id: uuid('a', number), project_id: PROJECT_ID, branch_id: BRANCH_ID },
    ...{ service_id: uuid('3', 0), service_name: 'Haircut' },
    ...{ resource_id: person?.id ?? null, resource_ids: person === undefined ? [] : [person.id] },
    ...{ status: 'confirmed', source: 'lk', timezone: 'Europe/Moscow', guests_count: 1 },
    ...{
      starts_at: new Date(startsAtMs).toISOString(),
      ends_at: new Date(startsAtMs + HOUR_MS / 2).toISOString(),
    },
    ...{
      contact_id: null,
      customer_name: `Customer ${number}`,
      customer_phone: `+7912${1_000_000 + number}`,
    },
    ...{ customer_email: null, conversation_id: null, price_amount: 240_000, price_currency: 'RUB' },
    ...{ comment: null, cancel_reason: null, cancelled_by: null, metadata: null },
    ...{
      created_at: new Date(state.baseMs).toISOString(),
      updated_at: new Date(state.changedAtMs).toISOString(),
    },
  };
}

/** The mapping of this company: one calendar per person, and one tab of contacts. */
export function mapping(places: { spreadsheetId: string; tab: string; sinceDays: number }): string {
  return `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: ${places.sinceDays}d }
    calendars:
      map:
${people.map(({ name, calendarId }) => `        ${name}: ${calendarId}`).join('\n')}
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "{{ customer_phone }}"
  contacts:
    from: contacts
    sheet: { spreadsheet: ${places.spreadsheetId}, tab: ${places.tab} }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
`;
}
