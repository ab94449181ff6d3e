import type { FastifyReply } from 'fastify';
import type { JsonObject } from '../json.ts';

/** Sends JSON with Google's content type. The client does not parse any other type. */
export function send(
  reply: FastifyReply,
  answer: { status: number; body: JsonObject | undefined; etag?: string | undefined },
): FastifyReply {
  if (answer.etag !== undefined) reply.header('etag', answer.etag);
  reply.code(answer.status);
  if (answer.body === undefined) return reply.send();
  return reply.header('content-type', 'application/json; charset=UTF-8').send(JSON.stringify(answer.body));
}
