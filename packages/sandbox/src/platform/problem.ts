/**
 * Refusals in the RFC 7807 form (platform API, Errors). Lists every code of the document with its status.
 * Appointment codes also appear in the body as `code`, with underscores.
 */
const ERROR_TYPE_BASE = 'https://platform.invalid/errors';

const GENERAL = {
  'bad-request': [400, 'Bad Request'],
  'idempotency-key-required': [400, 'Idempotency Key Required'],
  'idempotency-key-invalid': [400, 'Idempotency Key Invalid'],
  unauthenticated: [401, 'Unauthenticated'],
  'api-addon-required': [402, 'API Add-on Required'],
  forbidden: [403, 'Forbidden'],
  'not-found': [404, 'Not Found'],
  conflict: [409, 'Conflict'],
  'idempotency-conflict': [409, 'Idempotency Conflict'],
  'idempotency-in-progress': [409, 'Idempotency In Progress'],
  validation: [422, 'Validation Failed'],
  'rate-limited': [429, 'Too Many Requests'],
  internal: [500, 'Internal Error'],
  unavailable: [503, 'Unavailable'],
  'webhook-endpoint-limit': [409, 'Webhook Endpoint Limit'],
  'webhook-test-in-progress': [409, 'Webhook Test In Progress'],
  'callback-not-configured': [409, 'Callback Not Configured'],
  'conversation-closed': [409, 'Conversation Closed'],
  'conversation-archived': [409, 'Conversation Archived'],
  'channel-not-supported': [409, 'Channel Not Supported'],
  'channel-disconnected': [409, 'Channel Disconnected'],
} as const;

const APPOINTMENT = {
  'slot-unavailable': [409, 'Slot Unavailable'],
  'outside-working-hours': [409, 'Outside Working Hours'],
  'no-resources': [409, 'No Resources'],
  'appointment-not-reschedulable': [409, 'Appointment Not Reschedulable'],
  'appointment-not-cancellable': [409, 'Appointment Not Cancellable'],
  'service-inactive': [409, 'Service Inactive'],
  'invalid-duration': [422, 'Invalid Duration'],
  'too-many-guests': [422, 'Too Many Guests'],
  'starts-at-in-past': [422, 'Start In The Past'],
  'service-not-found': [422, 'Service Not Found'],
  'branch-not-found': [422, 'Branch Not Found'],
  'branch-id-required': [422, 'Branch Id Required'],
  'resource-not-eligible': [422, 'Resource Not Eligible'],
  'contact-not-found': [422, 'Contact Not Found'],
} as const;

export type ProblemCode = keyof typeof GENERAL | keyof typeof APPOINTMENT;

/** Every code of the document except `http`, which stands for refusals without their own code. */
export const PROBLEM_CODES = Object.keys({ ...GENERAL, ...APPOINTMENT }) as ProblemCode[];

export interface ProblemExtras {
  errors?: Record<string, string[]>;
  headers?: Record<string, string>;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode | 'http';
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly #title: string;
  readonly #errors: Record<string, string[]> | undefined;

  constructor(
    code: ProblemCode | { http: number; title: string },
    detail: string,
    extras: ProblemExtras = {},
  ) {
    super(detail);
    if (typeof code === 'object') {
      this.code = 'http';
      this.status = code.http;
      this.#title = code.title;
    } else {
      this.code = code;
      [this.status, this.#title] =
        code in APPOINTMENT
          ? APPOINTMENT[code as keyof typeof APPOINTMENT]
          : GENERAL[code as keyof typeof GENERAL];
    }
    this.#errors = extras.errors;
    this.headers = extras.headers ?? {};
  }

  body(requestId: string): Record<string, unknown> {
    return {
      type: `${ERROR_TYPE_BASE}/${this.code}`,
      title: this.#title,
      status: this.status,
      detail: this.message,
      request_id: requestId,
      ...(this.#errors ? { errors: this.#errors } : {}),
      ...(this.code in APPOINTMENT ? { code: this.code.replaceAll('-', '_') } : {}),
    };
  }
}
