const RealDate = Date;

/** A `Date` whose present is `aheadMs()` ahead of the real one; behind if negative. All else is the real one's. */
export function movedDate(aheadMs) {
  return class MovedDate extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(MovedDate.now());
      else super(...given);
    }
    static now() {
      return RealDate.now() + aheadMs();
    }
  };
}
