import * as z from 'zod';
import { $constructor } from 'zod/v4/core';

/** Replaces the form that editors see. It is built on demand: commands that only read a file do not need it. */
export function shownAs<Schema extends z.ZodType>(schema: Schema, form: () => object): Schema {
  schema._zod.toJSONSchema = form;
  return schema;
}

/** The JSON Schema of a part of the file as written. */
export function forEditors(schema: z.ZodType): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return rest;
}

/** What the reference and editors show about a setting besides its type and default. */
interface Explanation {
  /** A value as the file would contain it. Groups have none: their settings have. */
  readonly example?: z.core.util.JSONType;
  /** Version that introduced the setting. Absent: that of the surrounding group, else the first. */
  readonly since?: string;
}

/** The setting with its documentation, written only where the setting is declared. */
export function explained<Schema extends z.ZodType>(schema: Schema, description: string, facts: Explanation) {
  return schema.meta(explanation(description, facts));
}

/** The documentation of a setting, as metadata. */
export function explanation(description: string, { example, since }: Explanation) {
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

/** A value that was read, or the complaint about the text. */
export type Reading<T> = { readonly value: T } | { readonly complaint: string };

/** Adds the function that reads the value to a schema of the written form. */
export function readWith<Written, Input, T>(
  written: z.ZodType<Written, Input>,
  read: (written: Written) => Reading<T>,
) {
  return written.transform((value, context): T => {
    const reading = read(value);
    if ('value' in reading) return reading.value;
    context.addIssue({ code: 'custom', message: reading.complaint });
    return z.NEVER;
  });
}

interface SettingDef extends z.core.$ZodTypeDef {
  readonly form: () => z.ZodType;
  readonly read: (seen: never) => Reading<unknown>;
}

/** A setting that may also be a text. `form` validates anything but text, and shows editors what to write. */
export function readAs<T, Input>(
  form: () => z.ZodType<Input>,
  read: (seen: Input) => Reading<T>,
): z.ZodType<T, Input> {
  return new SETTING({ type: 'transform', form, read }) as z.ZodType<T, Input>;
}

const TYPE: $constructor<z.ZodType> = z.ZodType;

/** One schema instead of three (form, reading, pipe): a file may have hundreds of settings, and each command builds them all. */
const SETTING = $constructor('Setting', (schema: z.ZodType, def: SettingDef) => {
  TYPE.init(schema, def);
  schema._zod.processJSONSchema = (_, json) => void Object.assign(json, forEditors(def.form()));
  schema._zod.parse = (payload) => {
    const { value: seen, issues } = payload;
    const parsed = typeof seen === 'string' ? undefined : def.form().safeParse(seen);
    const reading = parsed?.success === false ? undefined : def.read(seen as never);
    if (reading === undefined)
      issues.push(
        ...(parsed?.error?.issues ?? []).map((issue) => ({ ...issue, input: seen }) as z.core.$ZodRawIssue),
      );
    else if ('value' in reading) payload.value = reading.value;
    else issues.push({ code: 'custom', message: reading.complaint, input: seen, inst: schema });
    return payload;
  };
}) as unknown as new (
  def: SettingDef,
) => z.ZodType;

/** For editors: the pattern of a text with a variable, which every setting accepts. */
export const WITH_VARIABLE = '\\$\\{';
