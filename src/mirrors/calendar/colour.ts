import type { Directory } from '../../domain/directory.ts';
import type { EventTemplate, NamedColour } from '../../domain/mirror.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { resourcesOf } from '../../domain/subject.ts';
import { isSameName } from '../filter/named.ts';

/** Google's colorId for an appointment's event: by status, else by service, else by the first of its resources that has a colour. */
export function colourFor(
  event: EventTemplate,
  snapshot: Snapshot,
  directory: Directory,
): string | undefined {
  const { colorIds, serviceColours = [], resourceColours = [] } = event;
  const { status, service_id: service, service_name: name } = snapshot;
  const ofService = [service, directory.services.get(String(service))?.name ?? name];
  const ofResources = resourcesOf(snapshot).map((id) => [id, directory.resources.get(id)?.name]);
  const found = [
    colorIds[String(status)],
    named(serviceColours, ofService),
    ...ofResources.map((names) => named(resourceColours, names)),
  ];
  return found.find((colorId) => colorId !== undefined);
}

/** Every colour that the mirror may give an event. */
export function coloursOf({
  colorIds,
  serviceColours = [],
  resourceColours = [],
}: EventTemplate): ReadonlySet<string> {
  const byName = [...serviceColours, ...resourceColours].map(({ colorId }) => colorId);
  return new Set([...Object.values(colorIds), ...byName]);
}

/** `names`: id and name of one service or resource. */
function named(colours: readonly NamedColour[], names: readonly unknown[]): string | undefined {
  const known = names.filter((each) => typeof each === 'string');
  return colours.find(({ name }) => known.some((each) => isSameName(each, name)))?.colorId;
}
