// The stylesheet and the script, as files that browsers may cache.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

export interface Asset {
  /** Below /console; it changes with the content. */
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

export interface Assets {
  readonly style: Asset;
  readonly script: Asset;
}

/** Reads both files once. They are beside this file, and beside the bundle (scripts/build.mjs). */
export function readAssets(): Assets {
  return {
    style: readAsset('console.css', 'text/css; charset=utf-8'),
    script: readAsset('console.js', 'text/javascript; charset=utf-8'),
  };
}

/** They need no session: they reveal nothing, and the sign-in page needs them. */
export function serveAssets(app: FastifyInstance, assets: Assets): void {
  for (const { path, type, text } of [assets.style, assets.script]) {
    app.get(path, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(text),
    );
  }
}

function readAsset(name: string, type: string): Asset {
  const text = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/${mark}-${name}`, type, text };
}
