import * as z from 'zod';
// Importing `z.core` would load all of zod, including sixty languages.
import { $constructor } from 'zod/v4/core';
import { forEditors } from './editors.ts';

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
