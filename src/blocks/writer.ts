import type { PlatformWriter } from '../ports/platform.ts';

/** Offers no free times after a refusal, because no person waits for suggestions about a block. */
export function blockWriter(writer: PlatformWriter): PlatformWriter {
  return {
    timeoutMs: writer.timeoutMs,
    create: (request) => writer.create(request),
    reschedule: (id, request) => writer.reschedule(id, request),
    cancel: (id, request) => writer.cancel(id, request),
    get: (id) => writer.get(id),
    list: (filters, after) => writer.list(filters, after),
    slots: async () => ({ projectId: '', zone: 'UTC', slots: [], windows: [], hasMore: false }),
  };
}
