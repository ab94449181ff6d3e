/**
 * The whole API of the platform, for one key. In: typed operations. Out: the platform's objects, or one of the three error families with
 * `target: 'platform'`. Makes one attempt per call: the job layer retries with the same Idempotency-Key and body.
 */
import { TerminalError } from '../engine/domain/errors.ts';
import type { EventReader, PlatformReader, WebhookEndpoints } from '../engine/ports/platform.ts';
import type { PlatformBudget } from '../engine/ports/quotas.ts';
import type { Log, Meter } from '../engine/ports/runtime.ts';
import { type Clock, steadyClock } from '../engine/ports/runtime.ts';
import { AppointmentsApi } from './api/appointments.ts';
import { BranchesApi } from './api/branches.ts';
import { ContactsApi } from './api/contacts.ts';
import { ConversationsApi } from './api/conversations.ts';
import { EventsApi } from './api/events.ts';
import { ResourcesApi } from './api/resources.ts';
import { ServicesApi } from './api/services.ts';
import { SlotsApi } from './api/slots.ts';
import { WebhookEndpointsApi } from './api/webhook-endpoints.ts';
import { ApiWebhookEndpoints } from './endpoints.ts';
import type { Exchange } from './http/answer.ts';
import { Breaker, type PlatformState } from './http/breaker.ts';
import { fetchExchange } from './http/exchange.ts';
import { type Outage, OutageWatch } from './http/failing.ts';
import { LocalPause, type PauseStore, RateGate } from './http/rate.ts';
import { Transport, type TransportParts } from './http/transport.ts';
import { ApiPlatformReader } from './reader.ts';

export interface PlatformClientOptions {
  /** Base URL of the API with its version segment, `https://…/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Deadline for a whole answer. A webhook test gets at least 15 s, because the platform waits for another server. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Measures durations; default: this process's monotonic clock. */
  readonly steady?: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Shared by all processes that use the same key; default: this process only. */
  readonly pause?: PauseStore;
  readonly userAgent?: string;
  /** How long the platform may answer nothing before `onOutage` tells. */
  readonly failingForMs?: number;
  /** Default: fetch. */
  readonly exchange?: Exchange;
  /** Repeats a request that the platform's limit held back. Absent: the caller learns of the limit. */
  readonly outlast?: TransportParts['outlast'];
}

export interface PlatformClient {
  /** Deadline for a whole answer. */
  readonly timeoutMs: number;
  readonly contacts: ContactsApi;
  readonly conversations: ConversationsApi;
  readonly appointments: AppointmentsApi;
  readonly slots: SlotsApi;
  readonly services: ServicesApi;
  readonly resources: ResourcesApi;
  readonly branches: BranchesApi;
  readonly webhookEndpoints: WebhookEndpointsApi;
  readonly events: EventsApi;
  readonly reader: PlatformReader & EventReader;
  readonly endpoints: WebhookEndpoints;
  /** The request budget as reported by the platform. */
  budget(): Promise<PlatformBudget>;
  /** Whether the platform accepts the key, as last seen by this process. */
  state(): PlatformState;
  /** Called after every change of `state()`. Returns a function that removes the listener. */
  onState(listener: (state: PlatformState) => void): () => void;
  /** Called while the platform answers nothing, and with undefined once it answers again. */
  onOutage(listener: (outage: Outage | undefined) => void): void;
}

/** Throws `TerminalError` `platform-settings` when the base URL or the key is unusable. Opens no connection. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { clock, steady = steadyClock, log, meter, timeoutMs, userAgent = 'slotbridge' } = options;
  const { exchange = fetchExchange } = options;
  const breaker = new Breaker({ clock, steady });
  const outages = new OutageWatch({ clock, failingForMs: options.failingForMs });
  const rate = new RateGate({ clock: steady, log, shared: options.pause ?? new LocalPause(steady) });
  const baseUrl = usableUrl(options.baseUrl);
  const apiKey = usableKey(options.apiKey);
  const transport = new Transport({
    baseUrl,
    apiKey,
    userAgent,
    timeoutMs,
    clock,
    log,
    meter,
    rate,
    breaker,
    outages,
    exchange,
    ...(options.outlast && { outlast: options.outlast }),
  });
  const contacts = new ContactsApi(transport);
  const conversations = new ConversationsApi(transport);
  const appointments = new AppointmentsApi(transport);
  const services = new ServicesApi(transport);
  const resources = new ResourcesApi(transport);
  const branches = new BranchesApi(transport);
  const events = new EventsApi(transport);
  const webhookEndpoints = new WebhookEndpointsApi(transport);
  breaker.onState((state) => logState(log, state));
  return {
    timeoutMs,
    contacts,
    conversations,
    appointments,
    slots: new SlotsApi(transport),
    services,
    resources,
    branches,
    webhookEndpoints,
    events,
    reader: new ApiPlatformReader({
      ...{ contacts, conversations, appointments },
      ...{ services, resources, branches, events },
    }),
    endpoints: new ApiWebhookEndpoints(webhookEndpoints),
    budget: () => rate.budget(),
    state: () => breaker.state(),
    onState: (listener) => breaker.onState(listener),
    onOutage: (listener) => outages.onChange(listener),
  };
}

function usableUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && ['https:', 'http:'].includes(url.protocol) && url.search === '' && url.hash === '';
  if (url && isPlain && url.username === '' && url.password === '') return url;
  throw new TerminalError('platform-settings', "the platform's base URL cannot be used", {
    target: 'platform',
    advice:
      'Set platform.base_url to the address of the API with its version segment, for example https://host/v1.',
  });
}

/** fetch would reject such a header with an error that quotes it, and the key would get into a log. */
function usableKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new TerminalError(
    'platform-settings',
    'the API key is empty or contains characters that a key cannot have',
    {
      target: 'platform',
      advice: 'Copy the key again into platform.api_key, without spaces or line breaks.',
    },
  );
}

function logState(log: Log, state: PlatformState): void {
  if (state.state === 'ok') log.info({}, 'the platform accepts the key again');
  else
    log.error(
      { code: state.code, scopes: state.scopes, requestId: state.requestId, advice: state.advice },
      'the platform refuses the key',
    );
}
