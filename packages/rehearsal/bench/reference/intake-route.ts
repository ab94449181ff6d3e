// The reference for the intake: the shortest possible route. It parses the body and awaits one `queue.add`. It checks no signature,
// keeps no state, and its queue has no worker.
import { type ConnectionOptions, Queue } from 'bullmq';
import fastify from 'fastify';
import { openRedis } from '../../../../src/engine/redis-client.ts';

const setting = JSON.parse(process.env['BENCH_REFERENCE'] ?? '') as { readonly redisUrl: string };
const queue = new Queue('reference', {
  connection: openRedis(setting.redisUrl, 'queue') as ConnectionOptions,
});
const app = fastify();
app.post('/webhooks/platform', async (request, reply) => {
  await queue.add('event', request.body);
  return reply.send({ taken: true });
});
app.get('/webhooks/platform', async () => ({ done: await queue.getWaitingCount() }));
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
if (typeof address === 'object') process.send?.({ port: address?.port });
// The bench has ended.
process.on('disconnect', () => process.exit());
process.on('message', async () => {
  await app.close();
  process.exit();
});
