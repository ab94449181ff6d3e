/** What the process of one host last said about itself. */
export interface HostSeen {
  /** Host name; in a container, its id. */
  readonly host: string;
  /** By how much its clock is ahead of that of Redis; negative: behind. Milliseconds. */
  readonly aheadMs: number;
  /** How long each side has not answered it; 0 while it answers, undefined before the first answer or failure. Milliseconds. */
  readonly unreachedMs: Readonly<Record<RemoteSide, number | undefined>>;
}

export type RemoteSide = 'platform' | 'google';

export interface HostReports {
  report(own: Pick<HostSeen, 'host' | 'unreachedMs'>): Promise<void>;
  /** Processes that reported within the last two minutes. */
  read(): Promise<readonly HostSeen[]>;
}
