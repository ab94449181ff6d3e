import * as z from 'zod';

/** What editors are shown in place of the schema's own form. Made when it is asked for: no command that only reads a file needs it. */
export function shownAs<Schema extends z.ZodType>(schema: Schema, form: () => object): Schema {
  schema._zod.toJSONSchema = form;
  return schema;
}

/** The JSON Schema of a part of the file as it is written. */
export function forEditors(schema: z.ZodType): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return rest;
}
