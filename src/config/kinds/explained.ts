import type { z } from 'zod';

/** What the reference and editors say about a setting beside its type and default. */
interface Explanation {
  /** A value as the file would hold it. Groups have none: their settings do. */
  readonly example?: z.core.util.JSONType;
  /** Version that brought the setting. Without it: that of the group around it, else the first. */
  readonly since?: string;
}

/** Metadata of a setting, written where the setting is declared and nowhere else. */
export function explained(description: string, { example, since }: Explanation) {
  return {
    description,
    ...(example === undefined ? {} : { 'x-example': example }),
    ...(since === undefined ? {} : { 'x-since': since }),
  };
}

/** Metadata that says in words what may stand in a setting: `duration, 1s to 1h`. */
export function ofType(words: string) {
  return { 'x-type': words };
}
