/** The known rules of Google, by section. Tests cite them, and the coverage page is written from them. */
import type { Section } from '../report/section.ts';
import { access, auth, calendars, quotas, requests, watching } from './rules/access.ts';
import { content, etags, ids, patching, properties, times } from './rules/events.ts';
import { lists, moves, series, sync } from './rules/lists.ts';
import { appending, batches, cells, metadata, protection, ranges, tables, values } from './rules/sheets.ts';

export const SECTIONS: readonly Section[] = [
  ids,
  etags,
  patching,
  properties,
  times,
  content,
  lists,
  sync,
  series,
  moves,
  watching,
  access,
  calendars,
  auth,
  requests,
  quotas,
  ranges,
  values,
  appending,
  batches,
  cells,
  metadata,
  protection,
  tables,
];
