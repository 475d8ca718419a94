import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { formatTable } from '../../generator/commands/format-table.js';
import { BenchError, type BenchTerms } from './bench.js';
import { groupProfile, type CpuProfile, type ProfiledPart } from './gateway-profile-parts.js';
import { saturate } from './gateway-load.js';
import { startScene, type SceneTerms } from './gateway-scene.js';

const WARM_UP_SECONDS = 2;
const PROFILED = ['gateway', 'bare'] as const;
/** How many functions of a part are named. */
const NAMED = 6;

/** What each part of a redirect costs in the gateway, and of a constant answer in bare Express, as text. */
export async function profileGateway(
  { stage, work }: SceneTerms,
  { seconds }: { readonly seconds: number },
  terms: BenchTerms,
): Promise<string> {
  const folderOf = (server: (typeof PROFILED)[number]): string => path.join(work, `profile-${server}`);
  for (const server of PROFILED) await mkdir(folderOf(server));
  const options = (server: (typeof PROFILED)[number]): string[] => [
    '--cpu-prof',
    '--cpu-prof-interval=200',
    `--cpu-prof-dir=${folderOf(server)}`,
  ];
  const scene = await startScene({ stage, work, options }, terms);
  const answers = { gateway: 0, bare: 0 };
  for (const server of PROFILED) {
    const target = scene.targets[server === 'gateway' ? 'archive' : 'bare'];
    for (const each of [WARM_UP_SECONDS, seconds]) {
      answers[server] += (await saturate(target, { seconds: each }, terms)).requests;
    }
  }
  await scene.stop();
  const texts = [];
  for (const server of PROFILED) {
    const parts = groupProfile(await readProfile(folderOf(server)));
    texts.push(formatParts(server, parts, answers[server]));
  }
  return texts.join('\n\n');
}

/** The profile of the main thread, which is the longest of a process. */
async function readProfile(folder: string): Promise<CpuProfile> {
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  const [longest] = texts.toSorted((a, b) => b.length - a.length);
  if (longest === undefined) throw new BenchError('no profile was written');
  return JSON.parse(longest) as CpuProfile; // written by Node
}

function formatParts(server: string, parts: readonly ProfiledPart[], answers: number): string {
  const total = parts.reduce((sum, { selfUs }) => sum + selfUs, 0);
  const rows = parts.map(({ name, selfUs, functions }) => [
    name,
    `${((100 * selfUs) / total).toFixed(1)} %`,
    (selfUs / answers).toFixed(2),
    functions
      .slice(0, NAMED)
      .map((each) => `${each.name} ${(each.selfUs / answers).toFixed(1)}`)
      .join(', '),
  ]);
  return [
    `${server}: ${(total / answers).toFixed(1)} us of processor time per answer, start and warm-up included`,
    formatTable(['part', 'share', 'us', 'functions that take most of it, in us'], rows),
  ].join('\n');
}
