// The expected cells of each row, in plain TypeScript from the platform's data.
import { type CompanyNames, HOUSE, isBlock, texts, type Wire, wireText } from './company.ts';
import { judgedTime } from './local-time.ts';

export type CellValue = string | number | boolean;

/** A tab as the demo's mapping describes it. */
export interface TabPlan {
  readonly tab: string;
  /** In column order; the first holds the id. */
  readonly headers: readonly string[];
  /** Cells in the order of the headers, '' for an empty cell; undefined when the object has no row here. */
  readonly cells: (object: Wire) => readonly CellValue[] | undefined;
}

/** The zone that the mapping names for the tab of contacts. */
const CONTACTS_ZONE = 'Europe/Moscow';
const LIFECYCLES = ['lead', 'mql', 'sql', 'customer'];
const CONTACT_STATUSES = ['active', 'blocked'];

export function contactsTab(): TabPlan {
  return {
    tab: 'Contacts',
    headers: ['ID', 'Name', 'Phone', 'E-mail', 'Lifecycle', 'Status', 'Since'],
    cells: (contact) => {
      const lifecycle = wireText(contact['lifecycle']);
      const status = wireText(contact['status']);
      if (contact['id'] === HOUSE) return undefined;
      if (!LIFECYCLES.includes(lifecycle) || !CONTACT_STATUSES.includes(status)) return undefined;
      return [
        wireText(contact['id']),
        wireText(contact['name']),
        wireText(contact['phone']),
        wireText(contact['email']),
        lifecycle.toUpperCase(),
        status,
        judgedTime(contact['created_at'], CONTACTS_ZONE).date,
      ];
    },
  };
}

/** Churned contacts, in the tab in which the office corrects names. */
export function winBackTab(): TabPlan {
  return {
    tab: 'Win-back',
    headers: ['ID', 'Name', 'Phone'],
    cells: (contact) => {
      const isTaken =
        contact['lifecycle'] === 'churned' && CONTACT_STATUSES.includes(wireText(contact['status']));
      if (!isTaken || contact['id'] === HOUSE) return undefined;
      return [wireText(contact['id']), wireText(contact['name']), wireText(contact['phone'])];
    },
  };
}

/** The zone that the mapping names for the tabs of leads and conversations. */
const TALK_ZONE = 'Europe/Moscow';

export function leadsTab(): TabPlan {
  return {
    tab: 'Leads',
    headers: ['ID', 'Came', 'Name', 'Phone', 'Status', 'Seconds', 'Outcome', 'Rating', 'Handled'],
    cells: (lead) => {
      const status = wireText(lead['status']);
      if (status === 'not_called') return undefined;
      const call = (lead['call'] ?? {}) as Wire;
      return [
        wireText(lead['id']),
        minute(lead['created_at']),
        wireText(lead['name']),
        wireText(lead['phone']),
        status === 'queued' ? 'in_progress' : status,
        numberOrNothing(call['duration_sec']),
        wireText(call['ai_outcome']),
        numberOrNothing(lead['rating']),
        minute(lead['handled_at']),
      ];
    },
  };
}

export function conversationsTab(): TabPlan {
  return {
    tab: 'Conversations',
    headers: ['ID', 'Began', 'Customer', 'Channel', 'Status', 'Messages', 'Last', 'Closed'],
    cells: (conversation) => {
      const channel = wireText(conversation['channel']);
      if (channel !== 'web' && channel !== 'telegram') return undefined;
      return [
        wireText(conversation['id']),
        minute(conversation['created_at']),
        wireText(conversation['customer_name']),
        channel,
        wireText(conversation['status']),
        Number(conversation['message_count']),
        minute(conversation['last_message_at']),
        wireText(conversation['closed_reason']),
      ];
    },
  };
}

function minute(instant: unknown): string {
  if (instant === null || instant === undefined) return '';
  const { date, time } = judgedTime(instant, TALK_ZONE);
  return `${date} ${time}`;
}

function numberOrNothing(value: unknown): CellValue {
  return typeof value === 'number' ? value : '';
}

/**
 * The tab in which an office moves and cancels appointments of one service; `zone` is the time zone of its starts.
 */
export function officeTab({
  tab,
  serviceId,
  zone,
}: {
  readonly tab: string;
  readonly serviceId: string;
  readonly zone: string;
}): TabPlan {
  return {
    tab,
    headers: ['ID', 'Start', 'Customer', 'Phone', 'Status', 'Cancel'],
    cells: (appointment) => {
      if (appointment['service_id'] !== serviceId) return undefined;
      return [
        wireText(appointment['id']),
        daySerial(appointment['starts_at'], zone),
        wireText(appointment['customer_name']),
        wireText(appointment['customer_phone']),
        wireText(appointment['status']),
        false,
      ];
    },
  };
}

const DAY_MS = 86_400_000;
/** Day 0 of a spreadsheet. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);

/** An instant as a spreadsheet stores it: days since day 0 in local time of the zone. */
export function daySerial(instant: unknown, zone: string): number {
  const { date, time } = judgedTime(instant, zone);
  return (Date.parse(`${date}T${time}:00Z`) - DAY_ZERO_MS) / DAY_MS;
}

export function appointmentsTab(names: CompanyNames): TabPlan {
  return {
    tab: 'Appointments',
    headers: [
      ...['ID', 'Date', 'From', 'To', 'Status', 'Service', 'With', 'Branch'],
      ...['Customer', 'Phone', 'Guests', 'Price', 'Comment'],
    ],
    cells: (appointment) => {
      if (isBlock(appointment)) return undefined;
      const zone = wireText(appointment['timezone']);
      const from = judgedTime(appointment['starts_at'], zone);
      const price = appointment['price_amount'];
      return [
        wireText(appointment['id']),
        from.date,
        from.time,
        judgedTime(appointment['ends_at'], zone).time,
        wireText(appointment['status']),
        wireText(appointment['service_name']),
        texts(appointment['resource_ids'])
          .map((id) => names.resources.get(id) ?? '')
          .join(', '),
        names.branches.get(wireText(appointment['branch_id'])) ?? '',
        wireText(appointment['customer_name']),
        wireText(appointment['customer_phone']),
        Number(appointment['guests_count']),
        typeof price === 'number' ? price / 100 : '',
        wireText(appointment['comment']),
      ];
    },
  };
}
