import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ALERT_NAMES } from '../../src/engine/alert.ts';
import { house } from '../house/tree.ts';
import { runCommand } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import {
  abridged,
  shapeOf,
  type Transcript,
  transcriptsOf,
  withTranscripts,
  wordsOf,
} from '../stand/transcript.ts';
import { closeScenes, SCENES, type Scene, SECRETS } from './scenes.ts';

const PATH = join(house, 'docs/runbook.md');
const text = readFileSync(PATH, 'utf8');
const transcripts = transcriptsOf(text);
const wholeStatus = transcripts.find(({ command }) => command === 'slotbridge status');
const sections = [...new Set(transcripts.map((each) => each.section))];

/**
 * `RUNBOOK=write npx vitest run test/runbook` writes the transcripts anew, as they are printed here. Ids in the command lines may be
 * any before.
 */
const isWriting = process.env['RUNBOOK'] === 'write';
const written: { old: Transcript; command: string; output: string }[] = [];
afterAll(async () => {
  await closeScenes();
  if (isWriting) writeFileSync(PATH, withTranscripts(text, written));
});

describe('the runbook', () => {
  test('has a world for every section with commands, and no other', () => {
    expect(sections.sort()).toEqual(Object.keys(SCENES).sort());
  });

  test('has a section for every alert', () => {
    const headings = [...text.matchAll(/^## (Alerts? .+)$/gm)].map(([, heading = '']) => heading);
    const named = headings.flatMap((heading) =>
      [...heading.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name),
    );
    expect(named.sort()).toEqual([...ALERT_NAMES].sort());
  });

  test('speaks of no command that it does not show, but for those that cannot be shown', () => {
    const spoken = [...text.matchAll(/`slotbridge ([^`]+)`/g)].map(([, words = '']) => leafOf(words));
    const shown = transcripts.map(({ command }) => leafOf(command.replace(/^slotbridge /, '')));
    // `start` runs in every world here; `google login` needs a person at a browser (test/cli/google-login.test.ts).
    const elsewhere = ['start', 'google login'];
    expect(spoken).toContain('webhook register');
    expect(spoken.filter((leaf) => ![...shown, ...elsewhere].includes(leaf))).toEqual([]);
  });
});

describe('the commands print what the runbook shows, but for ids, times and counts:', () => {
  // Most of the time is waiting for the worlds to come into their state.
  test.concurrent.each(sections)('%s', async (section) => {
    const open = SCENES[section];
    if (open === undefined) throw new Error('no world has the state that this section speaks of');
    const scene = await open();
    try {
      const own = transcripts.filter((each) => each.section === section);
      for (const [index, transcript] of own.entries()) {
        await scene.between?.[index]?.();
        const command = inScene(transcript.command, own, scene);
        if (isWriting) {
          written.push({
            old: transcript,
            command,
            output: asShown(transcript, await run(command, scene)),
          });
          continue;
        }
        const isAsShown = async () =>
          expect(shapeOf(withoutChance(asShown(transcript, await run(command, scene)))), command).toBe(
            shapeOf(withoutChance(transcript.output)),
          );
        // What only looks may come a moment too early; what acts has one try.
        if (onlyLooks(command)) await vi.waitFor(isAsShown, { timeout: PATIENCE_MS, interval: 500 });
        else await isAsShown();
      }
    } finally {
      await scene.close();
    }
  });
});

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The command with the scene's ids in place of those of the document. */
function inScene(command: string, own: readonly Transcript[], scene: Scene): string {
  const ids = [...new Set(own.flatMap((each) => each.command.match(ID) ?? []))];
  return command.replaceAll(ID, (id) => {
    const inWorld = scene.ids[ids.indexOf(id)];
    if (inWorld === undefined) throw new Error(`the scene has nothing for ${id}`);
    return inWorld;
  });
}

/** Progress: on a terminal it is written over, and gone at the end. */
const PROGRESS = /^\S+: [\d,]+ (?:of [\d,]+ known )?objects? (?:compared|looked at|handed over).*\n/gm;

async function run(command: string, scene: Scene): Promise<string> {
  const [, ...args] = wordsOf(command);
  const config = args.includes('--config') ? [] : ['--config', scene.config];
  const { output } = await runCommand([...args, ...config], { cwd: scene.dir });
  return output
    .replace(PROGRESS, '')
    .trimEnd()
    .replaceAll(scene.config, 'config/slotbridge.yaml')
    .replaceAll(new RegExp(`/\\S*/${SECRETS}\\w+/`, 'g'), './data/');
}

/** The first `status` of the page is shown whole; in the others, lines that it has too are left out. */
function asShown(transcript: Transcript, output: string): string {
  const isWhole = transcript === wholeStatus || transcript.command !== 'slotbridge status';
  return isWhole || wholeStatus === undefined ? output : abridged(output, wholeStatus.output);
}

/** Whether the lag is measured already is chance in a world that has just begun. Otherwise its line is as in the whole status. */
function withoutChance(output: string): string {
  return output.replace(/^lag +not measured yet$/m, '').trimEnd();
}

function onlyLooks(command: string): boolean {
  return /^slotbridge (status|explain|check|plan|cursor show|webhook (?:status|test)|deadletters (list|show))\b|^slotbridge audit$|--dry-run/.test(
    command,
  );
}

/** `webhook status`, `resync`: the words that name the command. */
function leafOf(words: string): string {
  const [first = '', second = ''] = wordsOf(words);
  return ['webhook', 'deadletters', 'google', 'approve', 'cursor'].includes(first)
    ? `${first} ${second}`
    : first;
}
