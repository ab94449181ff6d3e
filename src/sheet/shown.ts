import { sheetPlace } from '../engine/ids.ts';
import type { SheetMirror } from '../engine/mirror.ts';
import type { Snapshot } from '../engine/object.ts';
import type { Cell, CellFormat } from '../engine/sheet-row.ts';
import type { PlacedTemplate, RenderedObject, RenderedPlaces, ShownKind } from '../mapping/shown-kind.ts';
import { sheetContext } from '../mapping/template.ts';
import { createRowRenderer } from './target.ts';

export const shownSheet: ShownKind<SheetMirror> = {
  templates,
  context: ({ from, timezone }, snapshot, directory) =>
    sheetContext(from, snapshot, { directory, timezone, deleted: false }),
  rendered,
};

function templates({ columns }: SheetMirror): readonly PlacedTemplate[] {
  return columns.flatMap(({ header, template, currency }) => [
    { path: ['columns', header], source: template },
    ...(currency === undefined ? [] : [{ path: ['columns', header, 'currency'], source: currency }]),
  ]);
}

function rendered(mirror: SheetMirror, { snapshot, context }: RenderedObject): RenderedPlaces {
  const zone = zoneFor(mirror, snapshot);
  const renderer = createRowRenderer(mirror);
  const { cells, formats } = renderer.render(context, zone);
  const values = mirror.columns.map(({ header }) => {
    const name = header.trim();
    const isKey = name === mirror.keyHeader.trim();
    return { name, value: isKey ? context['id'] : shownCell(cells[name] ?? null, formats[name]) };
  });
  const isGuess = renderer.needsZone && mirror.timezone === undefined;
  const notes = isGuess ? [`Dates are shown in ${zone}; in the sheet they stand in its own time zone.`] : [];
  return { shown: [{ place: sheetPlace(mirror), values }], notes };
}

/** A date is a number in a sheet: show it as users see it. */
function shownCell(cell: Cell, format: CellFormat | undefined): unknown {
  if (typeof cell !== 'number' || format === undefined) return cell;
  const { type, pattern } = format;
  if (type === 'CHECKBOX') return cell;
  if (type === 'NUMBER' || type === 'CURRENCY') return `${cell}  (${pattern})`;
  return `${shownSerial(cell, type)}  (${pattern})`;
}

const DAY_MS = 86_400_000;
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);

function shownSerial(days: number, type: 'DATE' | 'DATE_TIME' | 'TIME'): string {
  const iso = new Date(DAY_ZERO_MS + Math.round(days * DAY_MS)).toISOString();
  if (type === 'DATE') return iso.slice(0, 10);
  return type === 'TIME' ? iso.slice(11, 19) : iso.slice(0, 16).replace('T', ' ');
}

function zoneFor({ timezone }: SheetMirror, snapshot: Snapshot): string {
  const own = snapshot['timezone'];
  return timezone ?? (typeof own === 'string' && own !== '' ? own : 'UTC');
}
