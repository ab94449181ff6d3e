// Which webhook endpoint counts, and what the mirrors lack. The company may have several endpoints with the worker's address: one for each
// project, or one that somebody created and disabled. The worker and the feed get what all enabled ones deliver together.

/** What a webhook endpoint delivers. */
interface Subscription {
  readonly enabledEvents: readonly string[];
  readonly projectIds: readonly string[] | null;
}

interface Endpoint extends Subscription {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly disabledReason: string | null;
}

/** Event types and projects. */
export interface Lack {
  readonly types: readonly string[];
  readonly projects: readonly string[];
}

/** The endpoint that counts, and the other enabled ones whose deliveries the mirrors also need. */
export interface EndpointChoice<E> {
  readonly endpoint: E;
  readonly beside: readonly E[];
  /** What none of them delivers, as a lack of `endpoint`. */
  readonly lack: Lack;
}

/** The endpoints with this address. Without an address all enabled ones, because each brings its events into the feed. */
export function endpointsAt<E extends Endpoint>(all: readonly E[], url: string | undefined): readonly E[] {
  return all.filter((each) => (url === undefined ? isEnabled(each) : sameAddress(each.url, url)));
}

/**
 * Prefers an enabled one if nothing is lacking, then a failed one if nothing is lacking once it is enabled again. If another one were
 * widened instead, both would later deliver the same events. Otherwise takes any, enabled ones first.
 */
export function chooseEndpoint<E extends Endpoint>(
  own: readonly E[],
  needed: Lack,
): EndpointChoice<E> | undefined {
  const enabled = own.filter(isEnabled);
  const besides = (endpoint: E) => enabled.filter((each) => each.id !== endpoint.id);
  const whole = enabled.find((each) => isNothing(lackOf(each, needed)));
  if (whole !== undefined) return { endpoint: whole, beside: [], lack: lackOf(whole, needed) };
  const chosen = (endpoint: E | undefined): EndpointChoice<E> | undefined => {
    if (endpoint === undefined) return undefined;
    const beside = besides(endpoint);
    return { endpoint, beside, lack: lackOf(endpoint, needed, beside) };
  };
  const first = chosen(enabled[0]);
  if (first !== undefined && isNothing(first.lack)) return first;
  const failed = own.filter((each) => !isEnabled(each) && each.disabledReason === 'failing').map(chosen);
  return (
    failed.find((each) => each !== undefined && isNothing(each.lack)) ?? first ?? failed[0] ?? chosen(own[0])
  );
}

/** What the mirrors need and neither the endpoint nor those beside it deliver. */
export function lackOf(endpoint: Subscription, needed: Lack, beside: readonly Subscription[] = []): Lack {
  const both = [endpoint, ...beside];
  const isBrought = (type: string, project: string | undefined) =>
    both.some((each) => hasType(each, type) && (project === undefined || hasProject(each, project)));
  // Without projects, a type counts as delivered if it arrives for any project.
  const projects = needed.projects.length === 0 ? [undefined] : needed.projects;
  const lacks = (type: string, project: string | undefined) => !isBrought(type, project);
  return {
    types: needed.types.filter(
      (type) => !hasType(endpoint, type) && projects.some((project) => lacks(type, project)),
    ),
    projects: needed.projects.filter(
      (project) => !hasProject(endpoint, project) && needed.types.some((type) => lacks(type, project)),
    ),
  };
}

export function isNothing({ types, projects }: Lack): boolean {
  return types.length === 0 && projects.length === 0;
}

/** The change that makes the endpoint deliver these as well. */
export function widened({ enabledEvents, projectIds }: Subscription, { types, projects }: Lack) {
  return {
    ...(types.length > 0 && { enabledEvents: [...enabledEvents, ...types] }),
    ...(projects.length > 0 && { projectIds: [...(projectIds ?? []), ...projects] }),
  };
}

function isEnabled({ status }: Endpoint): boolean {
  return status === 'enabled';
}

function hasType({ enabledEvents }: Subscription, type: string): boolean {
  return enabledEvents.includes('*') || enabledEvents.includes(type);
}

/** Null: all projects of the company (platform API, Webhook endpoint). */
function hasProject({ projectIds }: Subscription, project: string): boolean {
  return projectIds === null || projectIds.includes(project);
}

function sameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
}
