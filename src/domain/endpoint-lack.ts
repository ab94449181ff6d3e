/** What a webhook endpoint delivers. */
interface Subscription {
  readonly enabledEvents: readonly string[];
  readonly projectIds: readonly string[] | null;
}

/** Event types and projects. */
export interface Lack {
  readonly types: readonly string[];
  readonly projects: readonly string[];
}

/** What the mirrors need and an enabled endpoint does not deliver. */
export function lackOf({ enabledEvents, projectIds }: Subscription, needed: Lack): Lack {
  return {
    types: enabledEvents.includes('*') ? [] : needed.types.filter((type) => !enabledEvents.includes(type)),
    // Null: all projects of the company (platform API, Webhook endpoint).
    projects: projectIds === null ? [] : needed.projects.filter((id) => !projectIds.includes(id)),
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
