import { lineName, type Mirror } from '../../domain/mirror.ts';

/** A template of the mapping, and where it stands in the YAML. */
export interface PlacedTemplate {
  readonly path: readonly string[];
  readonly source: string;
}

export function templatesOf(mirror: Mirror): readonly PlacedTemplate[] {
  const root = ['mirrors', mirror.name];
  if (mirror.kind === 'sheet') {
    return mirror.columns.flatMap(({ header, template, currency }) => [
      { path: [...root, 'columns', header], source: template },
      ...(currency === undefined
        ? []
        : [{ path: [...root, 'columns', header, 'currency'], source: currency }]),
    ]);
  }
  const { title, description, location, link } = mirror.event;
  const texts = { title, description, location, link };
  return [
    ...Object.entries(texts).flatMap(([setting, source]) =>
      source === undefined ? [] : [{ path: [...root, 'event', setting], source }],
    ),
    ...mirror.calendars.flatMap((line) => {
      const { by, name } = lineName(line);
      const entry = by === 'all' ? ['calendar'] : ['map', name];
      return line.busyTitle === undefined
        ? []
        : [{ path: [...root, 'calendars', ...entry, 'title'], source: line.busyTitle }];
    }),
  ];
}
