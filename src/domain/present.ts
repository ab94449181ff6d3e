type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are undefined: an absent field and one that is undefined differ. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
