import type { z } from 'zod';

/** What the reference and editors show about a setting besides its type and default. */
interface Explanation {
  /** A value as the file would contain it. Groups have none: their settings have. */
  readonly example?: z.core.util.JSONType;
  /** Version that introduced the setting. Absent: that of the surrounding group, else the first. */
  readonly since?: string;
}

/** Metadata of a setting, written only where the setting is declared. */
export function explained(description: string, { example, since }: Explanation) {
  return {
    description,
    ...(example === undefined ? {} : { 'x-example': example }),
    ...(since === undefined ? {} : { 'x-since': since }),
  };
}

/** Metadata that describes the allowed values in words: `duration, 1s to 1h`. */
export function ofType(words: string) {
  return { 'x-type': words };
}
