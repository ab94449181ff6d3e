import * as z from 'zod';
import type { Page, PlatformEvent } from '../../engine/ports/platform.ts';
import { absentOn404 } from '../http/absence.ts';
import { segment, type Transport } from '../http/transport.ts';
import { described, pageOf, text } from '../http/wire.ts';
import { type ListRequest, listQuery, pagesOf } from '../pages.ts';
import type { Options } from './request.ts';

/** An event as the platform sends it (platform API, Event). `platformEvent` interprets `data.object`; the schema does not check it. */
export interface WireEvent {
  readonly id: string;
  /** New types may be added: skip unknown ones. */
  readonly type: string;
  readonly created_at: string;
  readonly project_id?: string | null;
  readonly test?: boolean;
  readonly data?: unknown;
}

export interface EventFilters {
  readonly project_id?: string;
  /** Exact match. */
  readonly type?: string;
}

/** As lenient as the rest of the worker: any parsable date-time. The coverage depends on it. */
const moment = z.string().refine((iso) => !Number.isNaN(Date.parse(iso)));

/** The intake checks ids and depth, and quarantines an event that it cannot take: one bad event must not fail the whole page. */
export const wireEvent = described<WireEvent>(
  z.looseObject({ object: z.literal('event'), id: text, type: text, created_at: moment }),
);
const eventPage = pageOf(wireEvent);

/** Converts a wire event to the worker's type. */
export function platformEvent(event: WireEvent): PlatformEvent {
  return {
    id: event.id,
    type: event.type,
    createdAt: event.created_at,
    projectId: typeof event.project_id === 'string' ? event.project_id : undefined,
    test: event.test === true,
    object: record(record(event.data)?.['object']),
  };
}

/** Platform API, Event feed: the last 30 days, newest first, without a time filter. */
export class EventsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(request: ListRequest<EventFilters> = {}): Promise<Page<WireEvent>> {
    return this.#transport.request({
      ...request,
      operation: 'events.list',
      method: 'GET',
      path: '/events',
      query: listQuery(request),
      answer: eventPage,
    });
  }

  pages(request: ListRequest<EventFilters> = {}): AsyncGenerator<Page<WireEvent>, void, void> {
    return pagesOf((page: ListRequest<EventFilters>) => this.list(page), { rank: 'feed', ...request });
  }

  /** Undefined when the event is older than 30 days, a test event, not for this key, or was sent to no endpoint. */
  async get(id: string, options: Options = {}): Promise<WireEvent | undefined> {
    const path = `/events/${segment(id)}`;
    return absentOn404(
      this.#transport.request({
        ...options,
        operation: 'events.get',
        method: 'GET',
        path,
        answer: wireEvent,
      }),
    );
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
