/** What `within` resolves with after the time limit. */
export const LATE = Symbol('late');

/** The result of `work`, or `LATE` after `ms`. Late work runs on; a later rejection is ignored. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((done) => {
    timer = setTimeout(() => done(LATE), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
