import { isObject, type JsonObject } from '../json.ts';

/**
 * PATCH: objects merge at every depth, lists and scalars replace, null removes. Neither argument is mutated.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete merged[name];
    else if (isObject(value)) merged[name] = mergePatch(isObject(merged[name]) ? merged[name] : {}, value);
    else merged[name] = value;
  }
  return merged;
}
