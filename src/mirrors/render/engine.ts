import { Liquid } from 'liquidjs';
import type { Escaping } from './escape.ts';

/** Longest template, in characters. A cell holds 50,000, an event's description 8,192: what makes them is far shorter. */
const TEMPLATE_CHARS_MAX = 20_000;
/** Generous: a machine that is busy elsewhere must not make a template fail. */
const RENDER_MS_MAX = 2_000;
/** Liquid's own measure: about one per character or element that a filter makes. */
const RENDER_MEMORY_MAX = 1_000_000;

/** These tags read other templates, which do not exist here. */
const TAGS_OF_FILES = ['include', 'render', 'layout', 'block'];
/** The same object must give the same text every time, or every look at it would be a write. */
const FILTERS_OF_CHANCE = ['sample'];

/**
 * Liquid for templates of the mapping: no files, no chance, bounded in time and memory. An unknown filter is an error, an unknown variable
 * is empty (the platform may leave fields out). `date` keeps the offset that its input carries. With `keepsTypes`, what a lone `{{ }}`
 * gives stays a number or boolean. With `escaping`, every value is escaped on output, except after the filter `raw` or one that has escaped
 * it already.
 */
export function createEngine(options: {
  readonly keepsTypes: boolean;
  readonly escaping?: Escaping | undefined;
  /** Beside Liquid's own. */
  readonly filters?: Readonly<Record<string, (value: unknown) => unknown>>;
}): Liquid {
  const { keepsTypes, escaping, filters = {} } = options;
  const engine = new Liquid({
    templates: {},
    strictFilters: true,
    strictVariables: false,
    ownPropertyOnly: true,
    preserveTimezones: true,
    // For inputs without an offset: the zone of the machine must not show in a calendar.
    timezoneOffset: 0,
    locale: 'en-US',
    keepOutputType: keepsTypes,
    parseLimit: TEMPLATE_CHARS_MAX,
    renderLimit: RENDER_MS_MAX,
    memoryLimit: RENDER_MEMORY_MAX,
    ...(escaping && { outputEscape: escaping.escapeValue }),
  });
  for (const tag of TAGS_OF_FILES) delete engine.tags[tag];
  for (const filter of FILTERS_OF_CHANCE) engine.unregisterFilter(filter);
  for (const [name, handler] of Object.entries(escaping?.filters ?? {})) {
    engine.registerFilter(name, { raw: true, handler });
  }
  for (const [name, handler] of Object.entries(filters)) engine.registerFilter(name, handler);
  return engine;
}
