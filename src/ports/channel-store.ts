/** A request to be pinged about one calendar. Its row stands before the request leaves. */
export interface Channel {
  readonly id: string;
  /** Comes back with every ping. */
  readonly token: string;
  readonly calendarId: string;
  readonly address: string;
  readonly requestedAtMs: number;
  /** When it ends at the latest, as far as is known: asked for, then as Google said. */
  readonly expiresAtMs: number;
  /** Google's; undefined while no answer and no ping of the channel has come. */
  readonly resourceId: string | undefined;
}

/** One row per channel: a new channel never takes the row of an old one that pings still. */
export interface ChannelStore {
  add(channel: Channel): Promise<void>;
  get(id: string): Promise<Channel | undefined>;
  all(): Promise<readonly Channel[]>;
  /** Google has the channel. Of a row that was removed meanwhile nothing is stored. */
  confirm(id: string, opened: { readonly resourceId: string; readonly expiresAtMs: number }): Promise<void>;
  remove(id: string): Promise<void>;
}
