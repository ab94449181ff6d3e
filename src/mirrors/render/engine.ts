import { Liquid, type Template as Part } from 'liquidjs';
import type { Escaping } from './escape.ts';

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
      return CLOCK_WORDS.includes(value) ? value : dated.call(this, value, ...options);
    });
  }
  for (const [name, handler] of Object.entries(escaping?.filters ?? {})) {
    engine.registerFilter(name, { raw: true, handler });
  }
  for (const [name, handler] of Object.entries(filters)) engine.registerFilter(name, handler);
  return engine;
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
