import { Liquid } from 'liquidjs';

/** Longest template, in characters. A cell holds 50,000, an event's description 8,192: what makes them is far shorter. */
const TEMPLATE_CHARS_MAX = 20_000;
/** Generous: a machine that is busy elsewhere must not make a template fail. */
const RENDER_MS_MAX = 2_000;
/** Liquid's own measure: about one per character or element that a filter makes. */
const RENDER_MEMORY_MAX = 1_000_000;

/** They read other templates, and there are none. */
const TAGS_OF_FILES = ['include', 'render', 'layout', 'block'];
/** The same object must give the same text every time, or every look at it would be a write. */
const FILTERS_OF_CHANCE = ['sample'];

/**
 * Liquid for templates of the mapping: no files, no chance, bounded in time and memory. An unknown filter is an error, an unknown
 * variable is empty (the platform may leave fields out). `date` keeps the offset that its input carries.
 * With `keepsTypes`, what a lone `{{ }}` gives stays a number or boolean.
 */
export function createEngine({ keepsTypes }: { keepsTypes: boolean }): Liquid {
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
  });
  for (const tag of TAGS_OF_FILES) delete engine.tags[tag];
  for (const filter of FILTERS_OF_CHANCE) engine.unregisterFilter(filter);
  return engine;
}
