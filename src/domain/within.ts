/** What `within` resolves with when the time is over. */
export const LATE = Symbol('late');

/** The result of `work`, or `LATE` after `ms`. Work that is late runs on; if it rejects then, nobody hears of it. */
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
