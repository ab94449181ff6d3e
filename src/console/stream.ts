import type { ServerResponse } from 'node:http';
import type { ConsoleAccess } from '../operate/console-access.ts';
import { COMMON_HEADERS } from './headers.ts';

/** How many looks a reader may take nothing before it is dropped: the browser reconnects automatically. */
const STUCK_LOOKS_MAX = 30;
/** How many looks pass between two checks of the session. */
const SESSION_ASKED_EVERY = 5;
/** How many looks pass between two signs of life: the script greys a page that hears none for 15 s. */
const BEAT_EVERY = 2;

/** What a page needs of its connection. */
export type PageStream = Pick<Stream, 'isFree' | 'beat' | 'send' | 'mayListen' | 'end'>;

/** The connection to one page. It never holds more than one event besides what the socket takes. */
export class Stream {
  readonly #raw: ServerResponse;
  readonly #session: { readonly token: string; readonly access: Pick<ConsoleAccess, 'session'> };
  #looks = 0;
  #stuckLooks = 0;

  constructor(
    raw: ServerResponse,
    session: { readonly token: string; readonly access: Pick<ConsoleAccess, 'session'> },
  ) {
    this.#raw = raw;
    this.#session = session;
    raw.writeHead(200, { ...COMMON_HEADERS, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    raw.write('retry: 2000\n\n');
  }

  /** Called at each look. Drops a reader that takes nothing for long. */
  isFree(): boolean {
    if (this.#raw.writableLength === 0) {
      this.#stuckLooks = 0;
      return true;
    }
    this.#stuckLooks += 1;
    if (this.#stuckLooks > STUCK_LOOKS_MAX) this.#raw.destroy();
    return false;
  }

  /** Whether everything has left. */
  isEmpty(): boolean {
    return this.#raw.writableLength === 0;
  }

  /** A sign of life. Called at looks that send nothing else: news must not wait for it. */
  beat(): void {
    if (this.#looks % BEAT_EVERY === 0 && this.#raw.writableLength === 0)
      this.send('event: beat\ndata: 1\n\n');
  }

  send(event: string): void {
    this.#raw.write(event);
  }

  async mayListen(): Promise<boolean> {
    this.#looks += 1;
    if (this.#looks % SESSION_ASKED_EVERY !== 0) return true;
    const isOver = (await this.#session.access.session(this.#session.token)) === undefined;
    if (isOver) this.#raw.write('event: ended\ndata: 1\n\n');
    return !isOver;
  }

  end(): void {
    this.#raw.end();
  }
}
