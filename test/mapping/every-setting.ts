import { configurationSettings, type Setting } from '../../scripts/configuration-page.ts';
import { BOOKING_KINDS, type BookingKind, kindInstead } from '../../src/mapping/schema/booking.ts';
import { TARGETS } from '../../src/mapping/schema/mirror.ts';

const leaves = configurationSettings().filter(({ isGroup }) => !isGroup);

/** What the examples ask of the environment. */
export const ENV = {
  PLATFORM_API_KEY: 'key',
  GOOGLE_APPLICATION_CREDENTIALS: '/run/google.json',
  GOOGLE_CONSENT_KEY: Buffer.alloc(32, 1).toString('base64'),
  OFFICE_CALDAV_PASSWORD: 'office-password',
};

/** The examples of the reference, put together to one file: every setting, and every kind of mirror and booking. */
export function everySetting() {
  const sources = leaves
    .filter(({ path }) => path === 'mirrors.<name>.from')
    .map(({ example }) => String(example));
  const tabs = sources.map((from) => [from, withTabsOf(from, mirrorOf(from, ['sheet', 'columns']))] as const);
  const mirrors: Record<string, object> = {
    ...Object.fromEntries(
      TARGETS.filter(({ part }) => part !== 'sheet').map(({ part, own }) => [
        part,
        withRules(mirrorOf('appointments', [part, ...own])),
      ]),
    ),
    ...Object.fromEntries(tabs),
  };
  return {
    ...everythingBut(['mirrors', 'bookings', 'feeds', 'blocks', 'google', 'caldav']),
    google: google(),
    caldav: caldav(),
    feeds: {
      anna: tree(
        leaves.filter(({ path }) => path.startsWith('feeds.')),
        'feeds.<name>.',
      ),
    },
    blocks: {
      'private-time': tree(
        leaves.filter(({ path }) => path.startsWith('blocks.') && !path.includes('.people.')),
        'blocks.<name>.',
      ),
    },
    mirrors,
    bookings: Object.fromEntries(BOOKING_KINDS.map((kind) => [kind, bookingOf(kind)])),
  };
}

function everythingBut(roots: readonly string[]): Record<string, unknown> {
  return tree(
    leaves.filter(({ path }) => !roots.some((root) => path.startsWith(`${root}.`))),
    '',
  );
}

function google(): Record<string, unknown> {
  const accounts = leaves.filter(({ path }) => path.startsWith('google.accounts.'));
  const own = leaves.filter((leaf) => leaf.path.startsWith('google.') && !accounts.includes(leaf));
  // An account has either a key or the consent of a person.
  const isOfPerson = ({ path }: Setting) => path.endsWith('.consent');
  const account = (settings: readonly Setting[]) => tree(settings, 'google.accounts.<name>.');
  return {
    ...tree(own, 'google.'),
    accounts: {
      branch: account(accounts.filter((leaf) => !isOfPerson(leaf))),
      director: account(accounts.filter(isOfPerson)),
    },
  };
}

function caldav(): Record<string, unknown> {
  const prefix = 'caldav.accounts.<name>.';
  const accounts = leaves.filter(({ path }) => path.startsWith(prefix));
  const own = leaves.filter((leaf) => leaf.path.startsWith('caldav.') && !accounts.includes(leaf));
  return { ...tree(own, 'caldav.'), accounts: { office: tree(accounts, prefix) } };
}

function mirrorOf(from: string, groups: readonly string[]): Record<string, unknown> {
  const own = leaves.filter(({ path, only }) => {
    const [root, , group = ''] = path.split('.');
    if (root !== 'mirrors' || path.split('<name>').length > 2) return false;
    // Settings of a calendar, of which the example of the calendar itself has some.
    if (path.includes('.calendars.calendar.')) return false;
    return ['from', 'where', ...groups].includes(group) && (only.length === 0 || only.includes(from));
  });
  return tree(own, 'mirrors.<name>.');
}

/** `all` has one calendar, all else a map: these are several rules. */
function withRules(mirror: Record<string, unknown>): Record<string, unknown> {
  if (mirror['calendars'] === undefined) return mirror;
  const { by, map, calendar } = mirror['calendars'] as Record<string, unknown>;
  const calendars = [{ by, map: { Centre: 'centre@clinic.example' } }, { map }, { by: 'all', calendar }];
  return { ...mirror, calendars };
}

/** No two mirrors can write to one tab: the first one has it. */
function withTabsOf(from: string, mirror: Record<string, unknown>): Record<string, unknown> {
  if (from === 'appointments') return mirror;
  const sheet = mirror['sheet'] as { tab: string; archive: { tab: string } };
  const archive = { ...sheet.archive, tab: `${sheet.archive.tab} ${from}` };
  return { ...mirror, sheet: { ...sheet, tab: `${sheet.tab} ${from}`, archive } };
}

function bookingOf(kind: BookingKind): Record<string, unknown> {
  const prefix = 'bookings.<name>.';
  const own = leaves.filter(
    ({ path }) => path.startsWith(prefix) && kindInstead(kind, path.slice(prefix.length)) === undefined,
  );
  return tree(own, prefix);
}

/** The examples as the file would hold them; `prefix` is left out of their paths. */
function tree(own: readonly Setting[], prefix: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { path, example } of own) {
    const steps = path.slice(prefix.length).split('.');
    const last = steps.pop() ?? '';
    let at = root;
    for (const step of steps) {
      at[step] ??= {};
      at = at[step] as Record<string, unknown>;
    }
    at[last] = example;
  }
  return root;
}
