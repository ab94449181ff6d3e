// Query parameters, checked against the method's list in the discovery document.
import { calendarRefusal, frontEndRefusal, type Refusal, sheetsRefusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import type { Violation } from './shape.ts';

export type QueryType =
  | 'string'
  | 'strings'
  | 'bool'
  | 'int'
  /** A whole number of at least 1. */
  | 'count'
  | readonly string[]
  /** Repeatable. */
  | { each: readonly string[] };
export type QueryShape = Readonly<Record<string, QueryType>>;

/** Parameters of every method of the service. */
const common: Record<Service, QueryShape> = {
  calendar: {
    alt: ['json'],
    fields: 'string',
    key: 'string',
    oauth_token: 'string',
    prettyPrint: 'bool',
    quotaUser: 'string',
    userIp: 'string',
  },
  sheets: {
    '$.xgafv': ['1', '2'],
    access_token: 'string',
    alt: ['json'],
    callback: 'string',
    fields: 'string',
    key: 'string',
    oauth_token: 'string',
    prettyPrint: 'bool',
    quotaUser: 'string',
    uploadType: 'string',
    upload_protocol: 'string',
  },
};

/** The checked parameters of one call. */
export class Query {
  readonly #values: ReadonlyMap<string, string[]>;

  constructor(values: ReadonlyMap<string, string[]>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  texts(name: string): string[] {
    return this.#values.get(name) ?? [];
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : value === 'true';
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : Number(value);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }
}

/** Parses and checks the query of a call. Throws Google's 400 for unknown names and invalid values. */
export function readQuery(search: URLSearchParams, shape: QueryShape, service: Service): Query {
  const values = new Map<string, string[]>();
  const unknown: Violation[] = [];
  for (const [name, value] of search) {
    const type = shape[name] ?? common[service][name];
    if (type === undefined) {
      unknown.push({
        field: '',
        description: `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
      });
      continue;
    }
    if (!isOfType(asRead(value, type, service), type)) throw wrongValue({ service, name, value, type });
    const held = values.get(name);
    const read = asRead(value, type, service);
    if (held === undefined) values.set(name, [read]);
    else held.push(read);
  }
  if (unknown.length > 0) throw badRequest(service, unknown);
  return new Query(values);
}

/** Google's 400 for a payload with violations, in the envelope of the service. */
export function badRequest(service: Service, found: Violation[]): Refusal {
  const message = found.map((violation) => violation.description).join('\n');
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: found.map(({ field, description }) =>
        field === '' ? { description } : { field, description },
      ),
    },
  ];
  return service === 'sheets'
    ? sheetsRefusal(400, message, details)
    : frontEndRefusal(400, { reason: 'badRequest', message }, details);
}

/** Sheets was recorded to accept `True` and `False`. */
function asRead(value: string, type: QueryType, service: Service): string {
  return type === 'bool' && service === 'sheets' ? value.toLowerCase() : value;
}

function isOfType(value: string, type: QueryType): boolean {
  if (type === 'bool') return value === 'true' || value === 'false';
  if (type === 'int') return /^-?\d{1,10}$/.test(value);
  if (type === 'count') return /^[1-9]\d{0,9}$/.test(value);
  return typeof type === 'string' || closedList(type).includes(value);
}

function closedList(type: Exclude<QueryType, string>): readonly string[] {
  return 'each' in type ? type.each : type;
}

function wrongValue(what: { service: Service; name: string; value: string; type: QueryType }): Refusal {
  const { service, name, value, type } = what;
  if (service === 'sheets') {
    const kind = type === 'bool' ? 'TYPE_BOOL' : type === 'int' ? 'TYPE_INT32' : 'TYPE_ENUM';
    return badRequest('sheets', [
      { field: name, description: `Invalid value at '${name}' (${kind}), "${value}"` },
    ]);
  }
  const allowed =
    typeof type === 'string'
      ? type === 'count'
        ? ' Values must be within the range: [1, 2147483647]'
        : ''
      : ` Allowed values: [${closedList(type).join(', ')}]`;
  return calendarRefusal(400, {
    reason: 'invalidParameter',
    message: `Invalid value '${value}'.${allowed}`,
    locationType: 'parameter',
    location: name,
  });
}
