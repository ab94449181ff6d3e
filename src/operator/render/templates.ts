import type { Mirror } from '../../domain/mirror.ts';

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
    ...mirror.calendars.flatMap(({ resource, busyTitle }) =>
      busyTitle === undefined
        ? []
        : [{ path: [...root, 'calendars', 'map', resource, 'title'], source: busyTitle }],
    ),
  ];
}
