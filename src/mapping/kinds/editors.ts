import * as z from 'zod';

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
