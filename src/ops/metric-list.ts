/** Every counter and histogram of the worker: name, meaning and labels. */
export const COUNTERS: readonly MetricDeclaration[] = [
  {
    name: 'slotbridge_events_total',
    help: 'Events taken in, by the way they came (webhook, feed) and what became of them.',
    labels: ['via', 'outcome'],
  },
  {
    name: 'slotbridge_webhooks_total',
    help: 'Webhook deliveries by outcome; signature-* were refused, kept came in a rush and is taken in later, not-durable was answered 503.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_quarantined_total',
    help: 'Deliveries and events that could not be understood and were kept for people to look at.',
    labels: ['reason'],
  },
  {
    name: 'slotbridge_feed_recovered_total',
    help: 'Events that the feed brought and no webhook had brought before.',
    labels: [],
  },
  {
    name: 'slotbridge_feed_walks_total',
    help: 'Walks through the event feed by how they ended; proved is the one that moves the coverage.',
    labels: ['end'],
  },
  {
    name: 'slotbridge_calendar_syncs_total',
    help: 'Reads of a calendar by how they ended; proved and listed (in full) move its coverage, read-already needed no call.',
    labels: ['end'],
  },
  {
    name: 'slotbridge_calendar_sightings_total',
    help: "The worker's events that calendars showed; echo is its own write coming back, noticed goes to a handler.",
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_calendar_pings_total',
    help: 'Pings of Google by outcome; only rung led to a read.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_reconciled_total',
    help: 'Objects brought to all their mirrors; dirty ones had changed again meanwhile.',
    labels: ['kind', 'outcome'],
  },
  {
    name: 'slotbridge_outside_bookings_total',
    help: 'What became of bookings that people made outside, by entry of bookings: booked, refused, ignored, moved, cancelled and so on.',
    labels: ['mapping', 'code'],
  },
  {
    name: 'slotbridge_staff_edits_total',
    help: 'What became of changes that people made to mirrored events: moved, cancelled, refused, put back, left alone.',
    labels: ['mirror', 'code'],
  },
  {
    name: 'slotbridge_failures_total',
    help: 'Attempts to mirror an object that failed; mirror "*" is before any mirror was tried.',
    labels: ['mirror', 'code', 'family'],
  },
  {
    name: 'slotbridge_dead_letters_total',
    help: 'Objects that were given up until somebody acts, by the code of the first reason.',
    labels: ['code'],
  },
  {
    name: 'slotbridge_event_writes_total',
    help: 'Writes to events in Google Calendar that were carried out, by mirror and what was done.',
    labels: ['mirror', 'action'],
  },
  {
    name: 'slotbridge_alert_posts_total',
    help: 'Messages to the webhook for alerts: sent, or failed and tried again.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_google_requests_total',
    help: 'Requests to Google by budget and rank: live, catch-up, list.',
    labels: ['budget', 'rank'],
  },
  {
    name: 'platform_requests_total',
    help: 'Requests to the platform by operation and HTTP status; no-answer when there was none.',
    labels: ['operation', 'status'],
  },
  {
    name: 'platform_held_back_total',
    help: 'Requests to the platform that were not sent: its limit is used up, or it refuses the key.',
    labels: ['code'],
  },
];

export const HISTOGRAMS: readonly HistogramDeclaration[] = [
  {
    name: 'slotbridge_lag_seconds',
    help: 'From the change on the platform to the confirmed write in the mirror.',
    labels: ['mirror'],
    bucketsS: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 86_400],
  },
  {
    name: 'platform_request_seconds',
    help: 'How long a request to the platform took.',
    labels: ['operation'],
    bucketsS: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
];

/** `status` shows percentiles of this histogram's newest samples. */
export const LAG = 'slotbridge_lag_seconds';

export interface MetricDeclaration {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface HistogramDeclaration extends MetricDeclaration {
  /** Upper bounds in seconds. */
  readonly bucketsS: readonly number[];
}
