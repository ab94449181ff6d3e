import * as z from 'zod';
import type { Page, PlatformEvent } from '../../ports/platform.ts';
import { absentOn404 } from '../http/absence.ts';
import { segment, type Transport } from '../http/transport.ts';
import { described, pageOf, text } from '../http/wire.ts';
import { type ListRequest, listQuery, pagesOf } from '../pages.ts';
import type { Options } from './request.ts';

/** An event as the wire has it (platform API, Event). `data.object` is looked at by `platformEvent`, not before. */
export interface WireEvent {
  readonly id: string;
  /** Grows: skip unknown ones. */
  readonly type: string;
  readonly created_at: string;
  readonly project_id?: string | null;
  readonly test?: boolean;
  readonly data?: unknown;
}

export interface EventFilters {
  readonly project_id?: string;
  /** Exact. */
  readonly type?: string;
}

/** As liberal as the rest of the worker: any text that is a moment. Coverage stands on it. */
const moment = z.string().refine((iso) => !Number.isNaN(Date.parse(iso)));

/** The intake judges ids and depth, and keeps one event that it cannot take: it must not cost the whole page. */
export const wireEvent = described<WireEvent>(
  z.looseObject({ object: z.literal('event'), id: text, type: text, created_at: moment }),
);
const eventPage = pageOf(wireEvent);

/** The event in the worker's words. */
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

  /** Undefined when it is older than 30 days, a test event, not for this key, or was sent to no endpoint. */
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
