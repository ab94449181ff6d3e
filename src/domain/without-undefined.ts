type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops the undefined fields: an absent field and an undefined one differ. */
export function withoutUndefined<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
