// Finds the method for an HTTP verb and a path. Google's paths end in `:verb` and contain encoded slashes and colons. Ordinary routers
// decode them too early, so this one splits the path first and decodes the segments afterwards.
import type { Method } from '../method.ts';

export interface Routed {
  method: Method;
  path: Record<string, string>;
}

interface Route {
  method: Method;
  segments: string[];
}

export class Router {
  readonly #byShape = new Map<string, Route[]>();

  constructor(methods: readonly Method[]) {
    for (const method of methods) {
      const segments = method.path.split('/');
      const key = `${method.http} ${segments.length}`;
      const routes = this.#byShape.get(key) ?? [];
      routes.push({ method, segments });
      // Literal segments before parameters: /events/watch is not an event called "watch".
      routes.sort((a, b) => literals(b.segments) - literals(a.segments));
      this.#byShape.set(key, routes);
    }
  }

  /** `pathname`: as sent, still encoded, without the leading slash. */
  find(http: string, pathname: string): Routed | undefined {
    const segments = pathname.split('/');
    for (const route of this.#byShape.get(`${http} ${segments.length}`) ?? []) {
      const path = match(route.segments, segments);
      if (path !== undefined) return { method: route.method, path };
    }
    return undefined;
  }
}

function literals(segments: readonly string[]): number {
  return segments.reduce(
    (sum, segment) => sum + (segment.startsWith('{') ? (segment.endsWith('}') ? 0 : 1) : 2),
    0,
  );
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const path: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const given = segments[i] ?? '';
    const parameter = /^\{(\w+)\}(:\w+)?$/.exec(expected);
    if (parameter === null) {
      if (expected !== given) return undefined;
      continue;
    }
    const [, name = '', verb = ''] = parameter;
    if (!given.endsWith(verb) || given.length === verb.length) return undefined;
    const value = decoded(given.slice(0, given.length - verb.length));
    if (value === undefined) return undefined;
    path[name] = value;
  }
  return path;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
