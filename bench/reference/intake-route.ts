// What the intake is measured against: the shortest route that can be written. It parses the body and awaits one `queue.add`; it checks
// no signature, keeps no state, and nobody works its queue.
import { type ConnectionOptions, Queue } from 'bullmq';
import fastify from 'fastify';
import { openRedis } from '../../src/storage/redis/redis-client.ts';

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
// The bench is gone: so are we.
process.on('disconnect', () => process.exit());
process.on('message', async () => {
  await app.close();
  process.exit();
});
