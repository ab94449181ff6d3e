/** What the objects show: fields that the document does not list, and values of open lists. */
import type { Api } from '../stage/api.ts';
import { type Finding, seen } from './finding.ts';

type Wire = Record<string, unknown>;

const KNOWN_FIELDS: Readonly<Record<string, string>> = {
  contacts:
    'object id project_id type name first_name last_name email phone position lifecycle status source metadata created_at updated_at',
  appointments:
    'object id project_id branch_id service_id service_name resource_id resource_ids status source starts_at ends_at timezone guests_count contact_id customer_name customer_phone customer_email conversation_id price_amount price_currency comment cancel_reason cancelled_by metadata created_at updated_at',
  services:
    'object id project_id name description booking_mode duration_min min_duration_min max_duration_min duration_step_min max_guests price_amount price_currency price_unit online_bookable created_at updated_at',
  resources:
    'object id project_id branch_id kind name position_title capacity timezone created_at updated_at',
  branches: 'object id project_id name address phone timezone created_at updated_at',
  conversations:
    'object id project_id channel status customer_name message_count closed_reason closed_at last_message_at created_at updated_at',
  webhook_endpoints:
    'object id url description enabled_events project_ids status disabled_reason disabled_at created_at updated_at',
  events: 'id object type created_at project_id test data',
};

const OPEN_VALUES: readonly (readonly [list: string, field: string])[] = [
  ['contacts', 'source'],
  ['contacts', 'lifecycle'],
  ['appointments', 'source'],
  ['appointments', 'cancelled_by'],
  ['services', 'price_unit'],
  ['conversations', 'channel'],
  ['conversations', 'closed_reason'],
  ['events', 'type'],
];

export async function objectFindings(api: Api): Promise<Finding[]> {
  const lists = new Map<string, Wire[]>();
  for (const name of Object.keys(KNOWN_FIELDS)) lists.set(name, await page(api, `/${name}?limit=100`));
  const beyond = [...lists].map(([name, objects]) => ({
    about: `fields of ${name} beyond the document`,
    learned: seen(strangers(objects, KNOWN_FIELDS[name] ?? '')),
  }));
  const values = OPEN_VALUES.map(([list, field]) => ({
    about: `values of ${field} in ${list}`,
    learned: seen((lists.get(list) ?? []).map((object) => object[field])),
  }));
  return [
    ...beyond,
    ...values,
    precision(lists.get('contacts') ?? []),
    cancelled(lists.get('appointments') ?? []),
  ];
}

/** Fields of messages and of their attachments in the newest conversations. */
export async function messageFindings(api: Api): Promise<Finding[]> {
  const messages: Wire[] = [];
  for (const { id } of (await page(api, '/conversations?limit=20')).slice(0, 20))
    messages.push(...(await page(api, `/conversations/${String(id)}/messages?limit=50`)));
  const known =
    'object id conversation_id direction author_type source text attachments status failure created_at';
  const attachments = messages.flatMap((message) => (message['attachments'] ?? []) as Wire[]);
  return [
    { about: 'fields of messages beyond the document', learned: seen(strangers(messages, known)) },
    { about: 'fields of an attachment', learned: seen(attachments.flatMap((one) => Object.keys(one))) },
    { about: 'values of author_type in messages', learned: seen(messages.map((one) => one['author_type'])) },
  ];
}

/** Leads appear in events only. */
export async function leadFindings(api: Api): Promise<Finding[]> {
  const types = ['lead.created', 'lead.updated'];
  const events = (await Promise.all(types.map((type) => page(api, `/events?limit=100&type=${type}`)))).flat();
  const leads = events.map((event) => ((event['data'] as Wire)['object'] ?? {}) as Wire);
  const calls = leads
    .map((lead) => lead['call'])
    .filter((call): call is Wire => typeof call === 'object' && call !== null);
  const known =
    'object id project_id phone name status status_reason source call rating handled_at created_at updated_at';
  return [
    { about: 'fields of leads beyond the document', learned: seen(strangers(leads, known)) },
    { about: 'values of source in leads', learned: seen(leads.map((lead) => lead['source'])) },
    {
      about: 'values of status_reason in leads',
      learned: seen(leads.map((lead) => word(lead['status_reason']))),
    },
    {
      about: 'types of rating in leads',
      learned: seen(leads.map(({ rating }) => (rating === null ? 'null' : typeof rating))),
    },
    { about: 'fields of a lead’s call', learned: seen(calls.flatMap((call) => Object.keys(call))) },
    { about: 'values of handled_by in calls', learned: seen(calls.map((call) => word(call['handled_by']))) },
    { about: 'values of ai_outcome in calls', learned: seen(calls.map((call) => word(call['ai_outcome']))) },
  ];
}

/** Hides anything but a plain list value: a sentence may contain personal data. */
function word(value: unknown): unknown {
  return typeof value === 'string' && !/^[a-z_]{1,40}$/.test(value) ? '(a text)' : value;
}

function precision(objects: readonly Wire[]): Finding {
  const hasFractions = objects.some((object) => /\.\d*[1-9]/.test(String(object['created_at'])));
  const learned =
    objects.length === 0 ? 'none seen' : hasFractions ? 'fractions of a second' : 'whole seconds';
  return { about: 'precision of created_at', learned };
}

function cancelled(appointments: readonly Wire[]): Finding {
  const gone = appointments.filter((one) => one['status'] === 'cancelled');
  const learned = seen(gone.map((one) => (one['resource_id'] === null ? 'null' : 'kept')));
  return { about: 'resource_id of cancelled appointments', learned };
}

function strangers(objects: readonly Wire[], known: string): string[] {
  const names = new Set(known.split(' '));
  return objects.flatMap((object) => Object.keys(object).filter((name) => !names.has(name)));
}

async function page(api: Api, path: string): Promise<Wire[]> {
  return (await api.get(path)).body?.data ?? [];
}
