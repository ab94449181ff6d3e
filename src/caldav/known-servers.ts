// What one server does and another does not, as data (decision 0050). A server is known by the form of its sync tokens; every other server gets the careful way,
// which costs more requests and holds everywhere.

export interface Quirks {
  /**
   * Preconditions hold, also for two writers at once: If-Match, If-None-Match: * and DELETE. So a write needs no read before it and none after
   * it. Otherwise the event is read before each write, and what was stored is read again (rules 11, 16, 17).
   */
  readonly keepsPreconditions: boolean;
  /** A token that the server does not know is refused, never answered with a full list (rule 3). */
  readonly refusesUnknownTokens: boolean;
  /** It answers such a token 500, like any failure. */
  readonly failsOnUnknownTokens?: true;
}

export interface KnownServer extends Quirks {
  readonly server: string;
  readonly version: string;
  readonly token: RegExp;
  readonly seen: string;
  /** Folder of the test that shows it. */
  readonly test: string;
}

export const KNOWN_SERVERS: readonly KnownServer[] = [
  {
    ...{ server: 'radicale', version: '3.1.8', token: /^http:\/\/radicale\.org\/ns\/sync\// },
    ...{ keepsPreconditions: true, refusesUnknownTokens: true },
    seen: 'One of two writers always gets 412. An unknown token is a 403. Updates answer 201. One instance without its series is refused.',
    test: 'test/caldav/servers',
  },
  {
    ...{ server: 'xandikos', version: '0.2.8', token: /^[0-9a-f]{40}$/ },
    ...{ keepsPreconditions: true, refusesUnknownTokens: true, failsOnUnknownTokens: true },
    seen: 'One of two writers always gets 412. An unknown token is a 500. A refused PUT is a 207.',
    test: 'test/caldav/servers',
  },
  {
    ...{ server: 'cyrus', version: '3.6.1', token: /^data:,\d+-\d+$/ },
    ...{ keepsPreconditions: true, refusesUnknownTokens: true },
    seen: 'One of two writers always gets 412. An unknown token is a 403. One UID for all calendars of an account.',
    test: 'test/caldav/servers',
  },
];

/** For servers that nobody has looked at, and for davical and sogo, where both of two writers get 204. */
export const CAREFUL: Quirks = { keepsPreconditions: false, refusesUnknownTokens: false };

export function quirksOf(syncToken: string | undefined): Quirks {
  return KNOWN_SERVERS.find(({ token }) => syncToken !== undefined && token.test(syncToken)) ?? CAREFUL;
}
