// Serves all paths of a sandbox from one route of its server. Each fastify route would add a third of a millisecond to the start of every
// sandbox.

interface Entry<Action> {
  readonly method: string;
  readonly parts: readonly string[];
  readonly action: Action;
}

/** Actions by method and path, such as `GET truth/calendars/:id/events`. */
export class RouteTable<Action> {
  readonly #entries: readonly Entry<Action>[];

  constructor(actions: Readonly<Record<string, Action>>) {
    this.#entries = Object.entries(actions).map(([route, action]) => {
      const [method = '', path = ''] = route.split(' ');
      return { method, parts: path.split('/'), action };
    });
  }

  /** Finds the action for the URL of a request below `/_sandbox/` or `/v1/`; undefined when there is no match. */
  find(method: string, url: string): { action: Action; given: Record<string, string> } | undefined {
    const [path = ''] = url.split('?');
    const asked = path.split('/').slice(2);
    for (const { parts, action, ...entry } of this.#entries) {
      if (entry.method !== method || parts.length !== asked.length) continue;
      if (!parts.every((part, at) => part === asked[at] || part.startsWith(':'))) continue;
      const named = parts.flatMap((part, at) =>
        part.startsWith(':') ? [[part.slice(1), decodeURIComponent(asked[at] ?? '')] as const] : [],
      );
      return { action, given: Object.fromEntries(named) };
    }
    return undefined;
  }
}
