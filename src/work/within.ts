/** The result of `work`, or `late` once the time is over. What runs on is left alone; if it rejects later, nobody hears of it. */
export async function within<Result>(
  ms: number,
  work: PromiseLike<Result> | Result,
): Promise<Result | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((done) => {
    timer = setTimeout(() => done('late'), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
