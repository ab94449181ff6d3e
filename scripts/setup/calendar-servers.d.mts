/** Folder of PostgreSQL's programs, if there is one. */
export function findPostgres(): string | undefined;
/** Which CalDAV servers the tests can start here. */
export function findCalendarServers(): Readonly<
  Record<'radicale' | 'xandikos' | 'davical' | 'cyrus' | 'sogo', boolean>
>;
/** Version of one of these servers as Debian packages it; undefined elsewhere. */
export function versionOfServer(name: string): string | undefined;
