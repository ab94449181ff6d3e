import type { z } from 'zod';
import { isRecord } from '../engine/object.ts';
import { foldedText } from '../engine/plain-text.ts';
import { secretRule, signingKey } from '../engine/signing-secret.ts';
import { buildBooking, checkBookings, sketchBookings, tabName } from './booking-build.ts';
import { settingsOfKinds } from './calendar-kinds.ts';
import { checkAccounts } from './check-accounts.ts';
import type { Config } from './config.ts';
import { ConfigDocument, isTooDeep, reportSyntax, TEXT_LENGTH_MAX } from './document.ts';
import { ENTRY_NAME, type KnownKeys } from './kinds/section.ts';
import { buildMirror, type ConfigChecks, checkMirrors, sayInTemplate } from './mirror-check.ts';
import { groupIn, type MirrorSketch, sketchMirrors, textIn } from './mirror-sketch.ts';
import {
  type Advice,
  ConfigLines,
  didYouMean,
  type Path,
  ProblemList,
  readComplaint,
  suggest,
} from './problem.ts';
import { toAlerts } from './schema/alerts.ts';
import { toBlockRule } from './schema/blocks.ts';
import { toConsole } from './schema/console.ts';
import { toFeed } from './schema/feed.ts';
import { toGoogle } from './schema/google.ts';
import { mirrorSchema, SOURCES } from './schema/mirror.ts';
import { toPlatform } from './schema/platform.ts';
import { toPrivacy } from './schema/privacy.ts';
import { toRedis } from './schema/redis.ts';
import { configSchema, type WrittenConfig } from './schema/root.ts';
import type { CompileCondition } from './schema/where.ts';
import { toHttp, toWorker } from './schema/worker.ts';
import { type Environment, fillVariables } from './variables.ts';

export interface ConfigSource {
  readonly text: string;
  /** The path as messages show it. */
  readonly path: string;
}

/**
 * Reads an operator's YAML: text and environment in, a complete `Config` out. Throws a `ConfigError` with every problem it can find, each
 * with its line and a fix. No problem contains the value of a variable.
 */
export function loadConfig(source: ConfigSource, env: Environment, checks: ConfigChecks): Config {
  const problems = new ProblemList();
  if (source.text.length > TEXT_LENGTH_MAX) {
    problems.add([], START, {
      what: `is longer than ${TEXT_LENGTH_MAX} characters`,
      fix: 'is this the right file?',
    });
    throw problems.toError(source.path);
  }
  if (isTooDeep(source.text)) {
    problems.add([], START, { what: 'nests groups too deeply', fix: 'is this the right file?' });
    throw problems.toError(source.path);
  }
  const document = new ConfigDocument(source.text);
  // After a mistake that swallows half of the file, further messages would mislead.
  if (!reportSyntax(document, problems)) throw problems.toError(source.path);
  fillVariables(document, env, problems);
  problems.endStage();

  const value = readValue(document, problems);
  if (value === undefined) throw problems.toError(source.path);
  const written = configSchema.safeParse(value, ONCE);
  if (!written.success) reportIssues(written.error.issues, document, problems);
  reportMisnamedSources(value, document, problems);
  problems.endStage();

  const sketches = sketchMirrors(value, document);
  checkMirrors(sketches, document, { problems, checks });
  const bookings = sketchBookings(value, document);
  checkBookings(bookings, mirrorsOf(sketches), { document, problems, checks });
  checkFeeds(value, document, { problems, checks });
  if (written.success) {
    const mapped = [...mirrorsOf(sketches).tabs, ...bookings.flatMap(({ tab }) => tab ?? [])];
    checkStatusTab(written.data, mapped, { document, problems });
    checkPush(written.data, document, problems);
    checkConsole(written.data, document, problems);
    checkSecrets(written.data, document, problems);
    checkAccounts(written.data, document, problems);
    checkBlocks(written.data, document, problems);
    checkKept(written.data, document, problems);
  }
  if (!written.success || !problems.isEmpty()) throw problems.toError(source.path);
  return toConfig(written.data, { document, compile: checks.compileCondition });
}

/** Pings need a public address; no single setting can check that. */
function checkPush(written: WrittenConfig, document: ConfigDocument, problems: ProblemList): void {
  if (written.google.watch.push !== true || written.platform.webhook.public_url !== undefined) return;
  const path = ['google', 'watch', 'push'];
  problems.add(path, document.placeOf(path), {
    what: 'needs an address at which Google reaches the worker',
    fix: 'set platform.webhook.public_url, or remove push: calendars are then polled',
  });
}

/** The worker adds this tab to every spreadsheet, so no tab of the mapping may have its name. */
function checkStatusTab(
  written: WrittenConfig,
  mapped: readonly string[],
  { document, problems }: { readonly document: ConfigDocument; readonly problems: ProblemList },
): void {
  const title = written.worker.status_tab?.toLowerCase();
  if (title === undefined || !mapped.some((tab) => tab.slice(tab.indexOf('/') + 1) === title)) return;
  const path = ['worker', 'status_tab'];
  problems.add(path, document.placeOf(path), {
    what: 'is the title of a tab that a mirror or a booking uses',
    fix: 'choose another title',
  });
}

/**
 * Checks that sign-in by a provider admits somebody, and that a console open to the network has an https address. A cookie that signs a
 * person in must not cross a network unencrypted, and sign-in links need an address that leads here.
 */
function checkConsole({ console }: WrittenConfig, document: ConfigDocument, problems: ProblemList): void {
  const { oidc } = console;
  const named = Object.values(oidc?.roles ?? {}).flatMap((names) => names ?? []);
  const group = named.find((name) => !name.includes('@'));
  if (oidc !== undefined && (named.length === 0 || (group !== undefined && oidc.claim === undefined))) {
    const path = ['console', 'oidc', 'roles'];
    problems.add(path, document.placeOf(path), {
      what: named.length === 0 ? 'names nobody' : 'names a group, but no claim says who belongs to it',
      fix:
        named.length === 0
          ? 'name people: ops: [anna@clinic.example]'
          : 'set console.oidc.claim to the claim of the groups, or write e-mail addresses',
    });
  }
  if (!console.enabled || console.exposure !== 'network' || console.address !== undefined) return;
  const path = ['console', 'exposure'];
  problems.add(path, document.placeOf(path), {
    what: 'opens the console to other machines, but console.address is not set',
    fix: 'set console.address to the https address under which people reach it, or remove exposure',
  });
}

/** Rejects weak secrets: with one, others could sign deliveries. How strong a secret must be depends on the scheme. */
function checkSecrets(written: WrittenConfig, document: ConfigDocument, problems: ProblemList): void {
  const { signature, secrets } = written.platform.webhook;
  if (signature === 'doorbell') return;
  const weak = secrets.findIndex((secret) => signingKey(signature, secret) === undefined);
  if (weak < 0) return;
  const path = ['platform', 'webhook', 'secrets'];
  problems.add(path, document.placeOf(path), {
    what: `secret no. ${weak + 1} is too weak: ${secretRule(signature)}`,
    fix: 'copy the secret again as the platform showed it, or run `slotbridge webhook roll-secret` for another one',
  });
}

/** A sheet cannot keep rows that `privacy.forget_deleted` erases. */
function checkKept(written: WrittenConfig, document: ConfigDocument, problems: ProblemList): void {
  if (!written.privacy.forget_deleted) return;
  for (const [name, mirror] of Object.entries(written.mirrors)) {
    if (mirror.sheet?.deleted !== 'keep') continue;
    const path = ['mirrors', name, 'sheet', 'deleted'];
    problems.add(path, document.placeOf(path), {
      what: 'would keep rows that privacy.forget_deleted erases',
      fix: 'remove the line, or set privacy.forget_deleted to false',
    });
  }
}

/** The worker reads the file once: compiling a parser with zod would take longer than the reading. */
export const ONCE = { jitless: true };

const START = { line: 1, column: 1 };

function readValue(document: ConfigDocument, problems: ProblemList): object | undefined {
  let value: unknown;
  try {
    value = document.toValue();
  } catch (error) {
    // Aliases that repeat too much throw a ReferenceError; any other error concerns the value of `<<`.
    const isTooMuch = error instanceof ReferenceError;
    problems.add([], START, {
      what: isTooMuch
        ? 'aliases repeat too much of the file'
        : '<< is followed by something other than a group',
      fix: isTooMuch ? 'write fewer *aliases' : 'write <<: *name, with &name at the group to merge',
    });
    return undefined;
  }
  if (isRecord(value)) return value;
  problems.add([], START, {
    what: value === null || value === undefined ? 'is empty' : 'is not a group of settings',
    fix: 'start from config/slotbridge.example.yaml',
  });
  return undefined;
}

/** Checks a mirror with a misspelt `from` as the source that was probably meant, so that its other problems show too. */
function reportMisnamedSources(root: object, document: ConfigDocument, problems: ProblemList): void {
  const mirrors: unknown = 'mirrors' in root ? root.mirrors : undefined;
  if (typeof mirrors !== 'object' || mirrors === null) return;
  for (const [name, mirror] of Object.entries(mirrors) as [string, unknown][]) {
    if (typeof mirror !== 'object' || mirror === null || !('from' in mirror)) continue;
    const from = suggest(String(mirror.from), SOURCES);
    if (from === undefined || from === mirror.from) continue;
    const issues = mirrorSchema.safeParse({ ...mirror, from }).error?.issues ?? [];
    const inPlace = issues.map((issue) => ({ ...issue, path: ['mirrors', name, ...issue.path] }));
    reportIssues(inPlace, document, problems);
  }
}

/** What the checks of `bookings` need to know about the mirrors. */
function mirrorsOf(sketches: readonly MirrorSketch[]) {
  const calendars = sketches.flatMap((sketch) => sketch.calendars);
  return {
    mirrorNames: new Set(sketches.map((sketch) => sketch.name)),
    mirrored: new Set(calendars.flatMap(({ calendarId }) => calendarId?.toLowerCase() ?? [])),
    tabs: new Set(
      sketches
        .flatMap(({ archive, ...home }) => (archive === undefined ? [home] : [home, archive]))
        .flatMap(({ spreadsheetId, tab }) =>
          spreadsheetId === undefined || tab === undefined ? [] : [tabName(spreadsheetId, tab)],
        ),
    ),
  };
}

export function toConfig(
  written: WrittenConfig,
  from: { readonly document: ConfigDocument; readonly compile: CompileCondition },
): Config {
  const { document, compile } = from;
  const deleted = written.privacy.forget_deleted ? 'clear' : 'keep';
  const { language } = written.worker;
  const mirrors = document.keysAt(['mirrors']).flatMap((name) => {
    const mirror = written.mirrors[name];
    return mirror === undefined ? [] : [buildMirror(name, mirror, { ...from, deleted, language })];
  });
  const calendarMirrors = mirrors.flatMap((mirror) => {
    const own = written.mirrors[mirror.name];
    const saysEdits = own?.from === 'appointments' && own.staff_edits !== undefined;
    return mirror.kind === 'calendar' ? [{ mirror, saysEdits }] : [];
  });
  return {
    platform: toPlatform(written.platform),
    google: toGoogle(written.google, written.platform.webhook.public_url),
    ...settingsOfKinds(written),
    redis: toRedis(written.redis),
    http: toHttp(written.http),
    worker: toWorker(written.worker),
    log: written.log,
    alerts: toAlerts(written.alerts),
    console: toConsole(written.console),
    privacy: toPrivacy(written.privacy),
    mirrors,
    lines: new ConfigLines(placesIn(written.mirrors, ['mirrors'], document)),
    feeds: document.keysAt(['feeds']).flatMap((name) => {
      const feed = written.feeds?.[name];
      return feed === undefined ? [] : [toFeed(name, feed, compile)];
    }),
    bookings: document.keysAt(['bookings']).flatMap((name) => {
      const booking = written.bookings?.[name];
      return booking === undefined
        ? []
        : [buildBooking(name, booking, { mirrors: calendarMirrors, language: written.worker.language })];
    }),
    blocks: document.keysAt(['blocks']).flatMap((name) => {
      const block = written.blocks?.[name];
      return block === undefined
        ? []
        : [toBlockRule(name, block, document.keysAt(['blocks', name, 'people']))];
    }),
  };
}

/** Levels of settings below `mirrors` that have a line of their own: a column of a mirror, or a text of its event. */
const LINE_LEVELS = 3;

function placesIn(
  group: object,
  path: readonly string[],
  document: ConfigDocument,
): readonly (readonly [readonly string[], number])[] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) => {
    const own = [...path, name];
    const below = isRecord(value) && path.length <= LINE_LEVELS ? placesIn(value, own, document) : [];
    return value === undefined ? [] : [[own, document.placeOf(own).line] as const, ...below];
  });
}

/** Checks entries across settings: their names, and that each person is in only one entry. */
function checkBlocks(written: WrittenConfig, document: ConfigDocument, problems: ProblemList): void {
  const entryOf = new Map<string, string>();
  for (const [name, { people }] of Object.entries(written.blocks ?? {})) {
    const path = ['blocks', name];
    if (!ENTRY_NAME.test(name)) {
      problems.add(path, document.placeOfKey(path), {
        what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
        fix: 'rename it, for example private-time',
      });
    }
    for (const resource of Object.keys(people)) {
      const folded = foldedText(resource);
      const other = entryOf.get(folded);
      entryOf.set(folded, other ?? name);
      if (other === undefined) continue;
      const own = [...path, 'people', resource];
      problems.add(own, document.placeOfKey(own), {
        what: `is also in ${other === name ? 'this entry' : other}`,
        fix: 'name each person once, with all of their calendars',
      });
    }
  }
}

/** Checks what the schema of an entry cannot: its name, and whether its templates and its condition are usable. */
function checkFeeds(
  root: unknown,
  document: ConfigDocument,
  report: { readonly problems: ProblemList; readonly checks: ConfigChecks },
): void {
  const { problems, checks } = report;
  for (const name of document.keysAt(['feeds'])) {
    const path: Path = ['feeds', name];
    if (!ENTRY_NAME.test(name)) {
      problems.add(path, document.placeOfKey(path), {
        what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
        fix: 'rename the feed, for example anna: the name is part of its address',
      });
    }
    const feed = groupIn(groupIn(root, 'feeds'), name);
    const event = groupIn(feed, 'event');
    const condition = textIn(groupIn(feed, 'where'), 'if');
    const found = [
      ...['title', 'description', 'location'].map((part) => {
        return { at: [...path, 'event', part], source: textIn(event, part), form: 'template' as const };
      }),
      { at: [...path, 'where', 'if'], source: condition, form: 'condition' as const },
    ];
    for (const { at, source, form } of found) {
      const problem = source === undefined ? undefined : checks.checkTemplate(source, 'appointment', form);
      if (problem) sayInTemplate(at, problem, { document, problems });
    }
  }
}

/** Turns issues of the schema into problems with a place in the file. */
export function reportIssues(
  issues: readonly z.core.$ZodIssue[],
  document: ConfigDocument,
  problems: ProblemList,
): void {
  for (const issue of issues) {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code !== 'unrecognized_keys') {
      problems.add(path, document.placeOf(path), readComplaint(issue.message, document.writtenAt(path)));
      continue;
    }
    const keys = JSON.parse(issue.message) as KnownKeys;
    for (const key of issue.keys) {
      const own: Path = [...path, key];
      problems.add(own, document.placeOfKey(own), adviseUnknown(key, keys));
    }
  }
}

function adviseUnknown(key: string, { known, hints }: KnownKeys): Advice {
  const hint = Object.hasOwn(hints, key) ? hints[key] : undefined;
  if (hint !== undefined) return { what: 'is not possible here', fix: hint };
  return { what: 'is not a setting', fix: `${didYouMean(key, known)}known here: ${known.join(', ')}` };
}
