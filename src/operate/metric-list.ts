/** Every counter and histogram of the worker: name, meaning and labels. */
export const COUNTERS: readonly MetricDeclaration[] = [
  {
    name: 'slotbridge_events_total',
    help: 'Events taken in, by source (webhook, feed) and outcome.',
    labels: ['via', 'outcome'],
  },
  {
    name: 'slotbridge_webhooks_total',
    help: 'Webhook deliveries by outcome: signature-* were refused, wrong-path got 404, kept arrived in a rush and is taken in later, not-durable got 503.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_quarantined_total',
    help: 'Deliveries and events that could not be understood and were quarantined.',
    labels: ['reason'],
  },
  {
    name: 'slotbridge_feed_recovered_total',
    help: 'Events that the feed brought before any webhook.',
    labels: [],
  },
  {
    name: 'slotbridge_feed_walks_total',
    help: 'Walks through the event feed by outcome. Only proved advances the coverage.',
    labels: ['end'],
  },
  {
    name: 'slotbridge_calendar_syncs_total',
    help: 'Reads of a calendar by outcome. proved and listed (a full list) advance its coverage; read-already needed no call.',
    labels: ['end'],
  },
  {
    name: 'slotbridge_calendar_sightings_total',
    help: "The worker's own events that calendars reported: echo is its own write, noticed goes to a handler.",
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_calendar_pings_total',
    help: 'Pings from Google by outcome. Only rung led to a read.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_reconciled_total',
    help: 'Objects written to all their mirrors. dirty: the object had changed again meanwhile.',
    labels: ['kind', 'outcome'],
  },
  {
    name: 'slotbridge_outside_bookings_total',
    help: 'Outcomes of outside bookings, by entry of bookings: booked, refused, ignored, moved, cancelled and so on.',
    labels: ['mapping', 'code'],
  },
  {
    name: 'slotbridge_staff_edits_total',
    help: 'Outcomes of staff edits to mirrored events: moved, cancelled, refused, put back, left alone.',
    labels: ['mirror', 'code'],
  },
  {
    name: 'slotbridge_failures_total',
    help: 'Failed attempts to mirror an object. The mirror "*" means: before any mirror was tried.',
    labels: ['mirror', 'code', 'family'],
  },
  {
    name: 'slotbridge_dead_letters_total',
    help: 'Objects that became dead letters, by the code of the first reason.',
    labels: ['code'],
  },
  {
    name: 'slotbridge_queue_engines_rebuilt_total',
    help: 'Queue engines that did nothing for a minute while keys waited, and were built anew.',
    labels: ['queue'],
  },
  {
    name: 'slotbridge_event_writes_total',
    help: 'Completed writes to events in Google Calendar, by mirror and kind of write.',
    labels: ['mirror', 'action'],
  },
  {
    name: 'slotbridge_alert_posts_total',
    help: 'Messages to the alert webhook: sent, or failed and retried.',
    labels: ['outcome'],
  },
  {
    name: 'slotbridge_google_requests_total',
    help: 'Requests to Google by budget and rank: live, catch-up, list.',
    labels: ['budget', 'rank'],
  },
  {
    name: 'platform_requests_total',
    help: 'Requests to the platform by operation and HTTP status; no-answer without a response.',
    labels: ['operation', 'status'],
  },
  {
    name: 'platform_held_back_total',
    help: 'Requests to the platform that were not sent, because its limit is spent or it refuses the key.',
    labels: ['code'],
  },
];

export const HISTOGRAMS: readonly HistogramDeclaration[] = [
  {
    name: 'slotbridge_lag_seconds',
    help: 'Time from the change on the platform to the confirmed write in the mirror.',
    labels: ['mirror'],
    bucketsS: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 86_400],
  },
  {
    name: 'platform_request_seconds',
    help: 'Duration of a request to the platform.',
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
