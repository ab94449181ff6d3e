import { toWorker, workerSection } from '../../src/config/schema/worker.ts';

/** What a worker has whose YAML sets nothing. A part that a test makes is given it as compose/ gives it its section. */
export const WORKER_DEFAULTS = toWorker(workerSection.parse({}));
