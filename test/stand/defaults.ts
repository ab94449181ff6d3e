// What a worker has whose YAML sets nothing. A part that a test makes is given it as worker/ gives it its section.
import { platformSection, toPlatform } from '../../src/mapping/schema/platform.ts';
import { toWorker, workerSection } from '../../src/mapping/schema/worker.ts';

const PLATFORM = platformSection.parse({ base_url: 'https://platform.example/v1', api_key: 'key' });

export const WORKER_DEFAULTS = toWorker(workerSection.parse({}));
export const FEED_DEFAULTS = toPlatform(PLATFORM).feed;
