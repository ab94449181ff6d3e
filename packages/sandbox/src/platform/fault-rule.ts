/** A fault rule as JSON: like `FaultRule`, with `path` as the source of a regular expression. */
import * as z from 'zod';
import type { FaultRule } from '../faults.ts';

const fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int(),
    body: z.string().optional(),
    contentType: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({ kind: z.literal('reset') }),
  z.strictObject({ kind: z.literal('hang'), ms: z.number() }),
  z.strictObject({ kind: z.literal('delay'), ms: z.number() }),
  z.strictObject({ kind: z.literal('commit-then-reset') }),
  z.strictObject({ kind: z.literal('commit-then-status'), status: z.int() }),
]);

const rule = z.strictObject({
  method: z.string().optional(),
  path: z.string().optional(),
  skip: z.int().optional(),
  times: z.int().optional(),
  share: z.number().min(0).max(1).optional(),
  fault,
});

export function readFaultRule(fields: unknown): FaultRule {
  const { path, ...rest } = rule.parse(fields);
  return {
    ...withoutUndefined(rest),
    ...(path === undefined ? {} : { path: new RegExp(path) }),
  } as FaultRule;
}

/** JSON has no undefined, but the types of zod's optional fields allow it. */
function withoutUndefined<T extends object>(fields: T): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
