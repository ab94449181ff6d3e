import { Liquid, Output, type Template as Part } from 'liquidjs';
import { DateTime } from 'luxon';
import { assertNever, TerminalError } from '../engine/errors.ts';
import type { Directory } from '../engine/mirror.ts';
import type { PlatformKind, Snapshot } from '../engine/object.ts';
import type { Cell } from '../engine/sheet-row.ts';
import { localAt } from '../engine/zone-local.ts';
import { offsetAt, zoneNamed } from '../engine/zone-rules.ts';

/** Where the text of a template goes: plain text, the HTML of a description, or a URL. */
export type Destination = 'text' | 'html' | 'url';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text so that HTML shows it as it is. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/** The same for text that may end up inside an attribute. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export interface Escaping {
  /** Escapes the value of each `{{ }}`. */
  readonly escapeValue: (value: unknown) => string;
  /** Liquid's own filters that escape. Their output is not escaped again. */
  readonly filters: Readonly<Record<string, (value: unknown) => string>>;
}

/**
 * How values are escaped on their way out of a `{{ }}`; undefined: not at all. Google shows descriptions as HTML (Calendar API, Events:
 * "Can contain HTML"), so text from customers must not become links or markup there. The template itself stays as the operator wrote it.
 * Quotes matter only inside attributes: without markup in the template, a name keeps its apostrophe.
 */
export function escapeFor(destination: Destination, source: string): Escaping | undefined {
  switch (destination) {
    case 'text':
      return undefined;
    case 'html': {
      const toHtml = source.includes('<') ? escapeAttribute : escapeHtml;
      const escapeValue = (value: unknown) => toHtml(asLiquidShows(value));
      return { escapeValue, filters: { escape: escapeValue, xml_escape: escapeValue } };
    }
    case 'url':
      return { escapeValue: encode, filters: { url_encode: encode, cgi_escape: encode, uri_escape: encode } };
    default:
      return assertNever(destination, 'destination of a template');
  }
}

function encode(value: unknown): string {
  return encodeURIComponent(asLiquidShows(value).toWellFormed());
}

function asLiquidShows(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(asLiquidShows).join('') : String(value);
}

/** Longest template, in characters. A cell holds 50,000 and an event's description 8,192, and sensible templates are far shorter. */
const TEMPLATE_CHARS_MAX = 20_000;
/** Longest rendering; generous, so that a busy machine does not fail a template. A runaway template blocks the worker for twice as long. */
const RENDER_MS_MAX = 1_000;
/** Most memory of one rendering, in Liquid's own unit; about one per character or element that a filter makes. */
const RENDER_MEMORY_MAX = 1_000_000;

/** Tags that read other templates, which do not exist here. */
const TAGS_OF_FILES = ['include', 'render', 'layout', 'block'];
/** The same object must always give the same text, or every turn would write. */
const RANDOM_FILTERS = ['sample'];
/** For the same reason they get no clock: to them `now` and `today` are words, as every text that is no date. */
const FILTERS_OF_DATES = [
  'date',
  'date_to_xmlschema',
  'date_to_rfc822',
  'date_to_string',
  'date_to_long_string',
];
const CLOCK_WORDS: readonly unknown[] = ['now', 'today'];

/**
 * Liquid for templates of the mapping: no files, no randomness, bounded in time and memory. An unknown filter is an error. An unknown
 * variable is empty, because the platform may leave fields out. `date` keeps the offset of its input. With `keepsTypes`, a lone `{{ }}`
 * keeps numbers and booleans. With `escaping`, every output value is escaped, except after the filter `raw` or a filter that has escaped it
 * already.
 */
export function createEngine(options: {
  readonly keepsTypes: boolean;
  readonly escaping?: Escaping | undefined;
  /** Added to Liquid's own. */
  readonly filters?: Readonly<Record<string, (value: unknown) => unknown>>;
}): Liquid {
  const { keepsTypes, escaping, filters = {} } = options;
  const engine = new Liquid({
    templates: {},
    strictFilters: true,
    strictVariables: false,
    ownPropertyOnly: true,
    preserveTimezones: true,
    // For inputs without an offset: the zone of the machine must not affect a calendar.
    timezoneOffset: 0,
    locale: 'en-US',
    keepOutputType: keepsTypes,
    parseLimit: TEMPLATE_CHARS_MAX,
    renderLimit: RENDER_MS_MAX,
    memoryLimit: RENDER_MEMORY_MAX,
    ...(escaping && { outputEscape: escaping.escapeValue }),
  });
  for (const tag of TAGS_OF_FILES) delete engine.tags[tag];
  for (const filter of RANDOM_FILTERS) engine.unregisterFilter(filter);
  for (const name of FILTERS_OF_DATES) {
    const dated = engine.filters[name];
    if (typeof dated !== 'function') continue;
    engine.registerFilter(name, function (value: unknown, ...options: unknown[]) {
      if (CLOCK_WORDS.includes(value)) return value;
      const [format, zone] = options;
      // Liquid would show null as UTC.
      if (name === 'date' && zone === null) return dated.call(this, value, format);
      return name === 'date' && typeof zone === 'string'
        ? dated.call(this, value, ...inZone(value, { format, zone }))
        : dated.call(this, value, ...options);
    });
  }
  for (const [name, handler] of Object.entries(escaping?.filters ?? {})) {
    engine.registerFilter(name, { raw: true, handler });
  }
  for (const [name, handler] of Object.entries(filters)) engine.registerFilter(name, handler);
  return engine;
}

/** The options of `date` with the zone as minutes west of UTC: for a name, Liquid would ask Node, whose rules of zones are older. */
function inZone(value: unknown, { format, zone }: { format: unknown; zone: string }): readonly unknown[] {
  const rules = zoneNamed(zone);
  if (rules === undefined) throw new RangeError(`${zone.slice(0, 60)} is not a known time zone`);
  const ms = momentOf(value);
  if (Number.isNaN(ms)) return [format];
  const named =
    typeof format === 'string'
      ? format.replaceAll(CODE, (code) => (code.endsWith('Z') ? zone : code))
      : format;
  return [named, 0 - offsetAt(rules, ms)];
}

/** A code of a date's format, such as `%-d`. */
const CODE = /%[-_0^#:]*\d*[EO]?./g;

/** As Liquid reads it: a number, or a text of digits, counts seconds. */
function momentOf(value: unknown): number {
  const isSeconds = typeof value === 'number' || /^\d+$/.test(String(value));
  return isSeconds ? Number(value) * 1000 : Date.parse(String(value));
}

/**
 * Renders once more if the first rendering failed after its time was over: the machine may have stood still, and the template may be fine.
 * Each rendering gets a copy of the scope, because Liquid stores counters in it.
 */
export function renderBounded(engine: Liquid, parts: Part[], scope: object): unknown {
  const startedAtMs = performance.now();
  try {
    return engine.renderSync(parts, { ...scope });
  } catch (error) {
    if (performance.now() - startedAtMs <= RENDER_MS_MAX) throw error;
    return engine.renderSync(parts, { ...scope });
  }
}

export interface Template {
  /** Rendered as text; null and absent values are empty. */
  text(context: TemplateContext): string;
  /** A template that is only one `{{ }}` keeps numbers and booleans; everything else is text. An empty result is null. */
  cell(context: TemplateContext): Cell;
}

/**
 * Both methods throw `TerminalError` (`template-failed`) when the template cannot be rendered for an object. Compiling throws the same for
 * a source that does not parse; `checkTemplate` says more about that beforehand. Values are escaped for their destination. `setting`: where
 * the mirror has the template, as in `FailureDetails`.
 */
export function compileTemplate(
  source: string,
  destination: Destination = 'text',
  setting: readonly string[] = [],
): Template {
  const escaping = escapeFor(destination, source);
  const typed = createEngine({ keepsTypes: true, escaping });
  const plain = createEngine({ keepsTypes: false, escaping });
  const parts = guarded(setting, () => plain.parse(source));
  // YAML leaves a line break after a block scalar, which must not turn a number into text.
  const trimmed = guarded(setting, () => plain.parse(source.trim()));
  const isLoneOutput = trimmed.length === 1 && trimmed[0] instanceof Output;
  const render = (engine: Liquid, what: Part[], context: TemplateContext): unknown =>
    guarded(setting, () => renderBounded(engine, what, context));
  return {
    // Liquid may cut a character in half.
    text: (context) => String(render(plain, parts, context)).toWellFormed(),
    cell: (context) => toCell(render(isLoneOutput ? typed : plain, isLoneOutput ? trimmed : parts, context)),
  };
}

function toCell(value: unknown): Cell {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function guarded<T>(setting: readonly string[], work: () => T): T {
  try {
    return work();
  } catch {
    // Liquid's message quotes the template and may quote the value. Both must stay out of the log.
    throw new TerminalError(
      'template-failed',
      'a template of the mirror cannot be rendered for this object',
      {
        advice: 'Run `slotbridge check`, and look at the filters that the templates of this mirror use.',
        setting,
      },
    );
  }
}

/** The fields that a template sees: those of the object, named as in the platform API, and some that the worker adds. */
export type TemplateContext = Record<string, unknown>;

/** Fields that hold an instant. In a context they carry an offset, so that `date` prints the local time. */
const INSTANTS = [
  ...['starts_at', 'ends_at', 'created_at', 'updated_at'],
  ...['closed_at', 'last_message_at', 'handled_at'],
];
/** The same for the call of a lead. */
const CALL_INSTANTS = ['started_at', 'answered_at', 'connected_at', 'ended_at'];

/** An object of any kind as the templates of a sheet see it. */
export function sheetContext(
  kind: PlatformKind,
  snapshot: Snapshot,
  around: {
    readonly directory: Directory;
    readonly timezone: string | undefined;
    /** The object is deleted, so the context shows its last known state. */
    readonly deleted: boolean;
  },
): TemplateContext {
  const { directory, timezone, deleted } = around;
  if (kind === 'appointment') return { ...appointmentContext(snapshot, directory, timezone), deleted };
  const context = contactContext(snapshot, timezone, deleted);
  if (kind === 'lead') return { ...context, call: callIn(snapshot['call'], timezone ?? 'UTC') };
  if (kind !== 'message') return context;
  const { attachments, ...rest } = context;
  // Their links expire after ten minutes (platform API, Message): in a row they would be dead before anyone clicked.
  return { ...rest, attachment_count: Array.isArray(attachments) ? attachments.length : 0 };
}

/**
 * An appointment as templates see it. Times are in `timezone`, else in the zone of the appointment or its branch. `price` is in major
 * units. Names that the directory does not know are null.
 */
export function appointmentContext(
  snapshot: Snapshot,
  directory: Directory,
  timezone: string | undefined = undefined,
): TemplateContext {
  const branch = directory.branches.get(String(snapshot['branch_id']));
  const zone = timezone ?? branchZone(snapshot, directory) ?? 'UTC';
  const { resource_id: main, resource_ids: all } = snapshot;
  const names: string[] = [];
  for (const id of Array.isArray(all) ? all : []) {
    const name = directory.resources.get(String(id))?.name;
    if (name !== undefined) names.push(name);
  }
  const amount = snapshot['price_amount'];
  return {
    branch_address: null,
    ...snapshot,
    ...localTimes(snapshot, zone),
    resource_name: directory.resources.get(String(main))?.name ?? null,
    resource_names: names,
    branch_name: branch?.name ?? null,
    // The platform counts in kopecks, hundredths whatever the currency (platform API, Appointment).
    price: typeof amount === 'number' ? amount / 100 : null,
    deleted: false,
  };
}

/** A contact as templates see it, or any object that needs only its times converted. A deleted object shows its last known state. */
export function contactContext(snapshot: Snapshot, timezone = 'UTC', deleted = false): TemplateContext {
  return { ...snapshot, ...localTimes(snapshot, timezone), deleted };
}

/** Null without a call, so that `call.ai_outcome` renders empty. */
function callIn(call: unknown, zone: string): TemplateContext | null {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return null;
  return { ...call, ...localTimes(call as Readonly<Record<string, unknown>>, zone, CALL_INSTANTS) };
}

function localTimes(
  object: Readonly<Record<string, unknown>>,
  zone: string,
  fields: readonly string[] = INSTANTS,
): TemplateContext {
  const times: TemplateContext = {};
  for (const field of fields) {
    const value = object[field];
    if (typeof value === 'string') times[field] = localTime(value, zone);
  }
  return times;
}

/** The platform's form of a moment: luxon takes a hundred times as long for it. */
const USUAL_FORM = /^[2-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const MINUTE_MS = 60_000;

/** In whole seconds. Returns the text unchanged when it is not a time, or the zone is unknown. */
function localTime(iso: string, zone: string): string {
  const ms = USUAL_FORM.test(iso) ? Date.parse(`${iso.slice(0, 19)}Z`) : Number.NaN;
  // luxon writes these two without an offset.
  const rules = isWritten(iso, ms) && !/^(?:utc|gmt)$/i.test(zone) ? zoneNamed(zone) : undefined;
  if (rules?.isFixed === false) {
    const offsetMin = offsetAt(rules, ms);
    const awayMin = Math.abs(offsetMin);
    const clock = new Date(ms + offsetMin * MINUTE_MS).toISOString().slice(0, 19);
    const [hours, minutes] = [Math.floor(awayMin / 60), awayMin % 60].map((each) =>
      String(each).padStart(2, '0'),
    );
    return `${clock}${offsetMin < 0 ? '-' : '+'}${hours}:${minutes}`;
  }
  const time = localAt(DateTime.fromISO(iso, { zone: 'utc' }).toMillis(), zone).startOf('second');
  return time.toISO({ suppressMilliseconds: true }) ?? iso;
}

/** False for 30 February, which Node takes for a day in March. */
function isWritten(iso: string, ms: number): boolean {
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(iso.slice(0, 19));
}

/** IANA zone of an appointment's branch: its own field, else the directory's. Undefined if neither names one. */
export function branchZone(snapshot: Snapshot, { branches }: Directory): string | undefined {
  const { timezone, branch_id: branchId } = snapshot;
  if (typeof timezone === 'string' && timezone !== '') return timezone;
  return branches.get(String(branchId))?.timezone;
}
