// The stylesheets and the scripts, as files that browsers may cache.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
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
  /** Only for the page with charts, in this order. */
  readonly charts: readonly Asset[];
}

const STYLE = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Reads all files once. They are beside this file, and beside the bundle (scripts/build.mjs). */
export function readAssets(): Assets {
  return {
    style: readAsset('console.css', STYLE),
    script: readAsset('console.js', SCRIPT),
    charts: [
      readAsset('uPlot.min.css', STYLE, 'uplot/dist'),
      readAsset('uPlot.iife.min.js', SCRIPT, 'uplot/dist'),
      readAsset('charts.js', SCRIPT),
    ],
  };
}

/** They need no session: they reveal nothing, and the sign-in page needs them. */
export function serveAssets(app: FastifyInstance, assets: Assets): void {
  for (const { path, type, text } of [assets.style, assets.script, ...assets.charts]) {
    app.get(path, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(text),
    );
  }
}

/** `folder`: where the package has the file. The build puts it beside the others. */
function readAsset(name: string, type: string, folder?: string): Asset {
  const beside = fileURLToPath(new URL(`./assets/${name}`, import.meta.url));
  const isBeside = folder === undefined || existsSync(beside);
  const path = isBeside ? beside : createRequire(import.meta.url).resolve(`${folder}/${name}`);
  const text = readFileSync(path, 'utf8');
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { path: `/assets/${mark}-${name}`, type, text };
}
