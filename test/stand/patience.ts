/**
 * How long a test waits for something that is to happen: shorter than its own limit, so that the failure names what is missing. It bounds no
 * time of the worker, which takes as long as a busy machine lets it.
 */
export const PATIENCE_MS = 200_000;
