/** Lets a double stand for a class: TypeScript compares private fields, which a double does not have. Every member that the test calls must be there. */
export const double = <T>(part: NoInfer<Partial<Pick<T, keyof T>>>): T => part as T;
