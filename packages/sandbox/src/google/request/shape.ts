// What a body may contain. The shapes are written by hand from the discovery documents. A body with unknown names or wrong types is
// refused as by Google's JSON front end, with all violations in one answer.
import { isObject, type Json, type JsonObject } from '../json.ts';

export type Shape =
  | { is: 'string' | 'int32' | 'double' | 'bool' | 'any' }
  | { is: 'enum'; values: readonly string[] }
  | { is: 'list'; of: Shape }
  | { is: 'map'; of: Shape }
  | { is: 'object'; fields: Readonly<Record<string, Shape>>; oneOf?: string };

export const string: Shape = { is: 'string' };
export const int32: Shape = { is: 'int32' };
export const double: Shape = { is: 'double' };
export const bool: Shape = { is: 'bool' };
export const any: Shape = { is: 'any' };
export const list = (of: Shape): Shape => ({ is: 'list', of });
export const mapOf = (of: Shape): Shape => ({ is: 'map', of });
export const oneOfStrings = (...values: string[]): Shape => ({ is: 'enum', values });
export const object = (fields: Record<string, Shape>): Shape => ({ is: 'object', fields });
/** An object with at most one field set (a protobuf `oneof` called `name`). */
export const union = (name: string, fields: Record<string, Shape>): Shape => ({
  is: 'object',
  fields,
  oneOf: name,
});

export interface Violation {
  /** Path in the snake case of Google's messages; empty at the top. */
  field: string;
  description: string;
}

/** Every violation of the shape in `value`. `path` is the body's place in the request message. */
export function violations(shape: Shape, value: Json | undefined, path = ''): Violation[] {
  const found: Violation[] = [];
  visit({ shape, value, path }, found);
  return found;
}

interface Visit {
  shape: Shape;
  value: Json | undefined;
  path: string;
}

function visit({ shape, value, path }: Visit, found: Violation[]): void {
  // protobuf treats a JSON null as an absent field.
  if (value === null || value === undefined) return;
  switch (shape.is) {
    case 'any':
      return;
    case 'string':
      if (typeof value !== 'string') found.push(wrongType(path, 'TYPE_STRING', value));
      return;
    case 'bool':
      if (typeof value !== 'boolean') found.push(wrongType(path, 'TYPE_BOOL', value));
      return;
    case 'double':
      if (typeof value !== 'number') found.push(wrongType(path, 'TYPE_DOUBLE', value));
      return;
    case 'int32':
      if (!isInt32(value)) found.push(wrongType(path, 'TYPE_INT32', value));
      return;
    case 'enum':
      if (typeof value !== 'string' || !shape.values.includes(value))
        found.push(wrongType(path, 'TYPE_ENUM', value));
      return;
    case 'list':
      if (!Array.isArray(value)) found.push(wrongType(path, 'LIST', value));
      else
        for (const [i, item] of value.entries())
          visit({ shape: shape.of, value: item, path: `${path}[${i}]` }, found);
      return;
    case 'map':
      if (!isObject(value)) found.push(wrongType(path, 'MAP', value));
      else
        for (const [key, item] of Object.entries(value))
          visit({ shape: shape.of, value: item, path: `${path}['${key}']` }, found);
      return;
    case 'object':
      if (!isObject(value)) found.push(wrongType(path, 'MESSAGE', value));
      else visitObject({ shape, value, path }, found);
  }
}

function visitObject(
  { shape, value, path }: { shape: Extract<Shape, { is: 'object' }>; value: JsonObject; path: string },
  found: Violation[],
): void {
  let isSet = false;
  for (const [name, item] of Object.entries(value)) {
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (field === undefined) {
      const where = path === '' ? '' : ` at '${path}'`;
      found.push({
        field: path,
        description: `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`,
      });
      continue;
    }
    if (item === null || item === undefined) continue;
    if (shape.oneOf !== undefined && isSet) {
      const description = `Invalid value at '${path}' (oneof), oneof field '${shape.oneOf}' is already set. Cannot set '${name}'`;
      found.push({ field: path, description });
      continue;
    }
    isSet = true;
    visit({ shape: field, value: item, path: path === '' ? snake(name) : `${path}.${snake(name)}` }, found);
  }
}

function wrongType(path: string, type: string, value: Json): Violation {
  const shown = JSON.stringify(value).slice(0, 100);
  return { field: path, description: `Invalid value at '${path}' (${type}), ${shown}` };
}

function isInt32(value: Json): boolean {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= 2_147_483_648;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
