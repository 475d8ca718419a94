import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../process/run-program.js';

/** The result of `replayImage`. The steps ran on this machine as the current user, without a container engine. */
export type ReplayedImage = {
  /** Root folder of the last stage. */
  readonly root: string;
  /** The base of each stage, the platform that it asks for (by default that of the image), and whether it runs programs. */
  readonly stages: readonly Readonly<Described>[];
  readonly user: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Command of the health check. */
  readonly healthCheck: readonly string[];
};

type Described = { readonly base: string; readonly platform: string | undefined; runs: boolean };
type Stage = { readonly root: string; workingFolder: string; user?: string };

/**
 * Replays a Dockerfile in `folder`. Each stage has a folder of its own below `folder`, which stands for its root directory. Files that
 * `.dockerignore` excludes cannot be copied. `buildArgs` has the value of each ARG. @throws Error for an ARG without a value, an unsupported
 * instruction or a failed step.
 */
export async function replayImage(
  context: string,
  dockerfile: string,
  folder: string,
  buildArgs: Readonly<Record<string, string>> = {},
): Promise<ReplayedImage> {
  const isIncluded = await readContext(context);
  const stages = new Map<string, Stage>();
  const env: Record<string, string> = {};
  const described: Described[] = [];
  let stage: Stage = { root: folder, workingFolder: folder };
  let [command, healthCheck]: [string[], string[]] = [[], []];
  for (const [name, text] of await readInstructions(path.join(context, dockerfile))) {
    const words = text.split(/\s+/);
    const at = (place: string, of: Stage = stage): string =>
      place.startsWith('/') ? path.join(of.root, place) : path.join(of.workingFolder, place);
    if (name === 'FROM') {
      const platform = /^--platform=(\S+)$/.exec(words[0] ?? '')?.[1];
      const [base = '', , as = `stage-${stages.size}`] = platform === undefined ? words : words.slice(1);
      const image = base.replace(/^\$(\w+)$/, (_all, arg: string) => buildArgs[arg] ?? '');
      described.push({ base: image, platform, runs: false });
      stages.set(as, (stage = { root: path.join(folder, as), workingFolder: path.join(folder, as) }));
      await mkdir(stage.root, { recursive: true });
    } else if (name === 'WORKDIR') {
      stage.workingFolder = at(text);
      await mkdir(stage.workingFolder, { recursive: true });
    } else if (name === 'COPY') {
      const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1];
      const [sources, target] = [words.slice(from === undefined ? 0 : 1, -1), words.at(-1) ?? ''];
      const source = from === undefined ? undefined : stages.get(from);
      for (const each of sources) {
        if (source === undefined && !isIncluded(each)) throw new Error(`.dockerignore excludes ${each}`);
        const found = source === undefined ? path.join(context, each) : at(each, source);
        // Of a folder, COPY takes what is in it.
        const isInside = target.endsWith('/') && !each.endsWith('/');
        const into = isInside ? path.join(at(target), path.basename(each)) : at(target);
        await cp(found, into, {
          recursive: true,
          verbatimSymlinks: true,
          filter: (file) => source !== undefined || isIncluded(path.relative(context, file)),
        });
      }
    } else if (name === 'RUN') {
      for (const last of described.slice(-1)) last.runs = true;
      const shell = { ...readEnvironment(), ...buildArgs };
      const { code, stderr } = await runProgram('/bin/sh', ['-ec', text], shell, stage.workingFolder);
      if (code !== 0) throw new Error(`${text}: ${stderr}`);
    } else if (name === 'ENV') {
      for (const word of words) {
        const [variable = '', value = ''] = word.split('=');
        env[variable] = value;
      }
    } else if (name === 'USER') stage.user = text;
    else if (name === 'CMD') command = JSON.parse(text) as string[];
    else if (name === 'HEALTHCHECK') healthCheck = JSON.parse(text.replace(/^.*?CMD /s, '')) as string[];
    else if (name === 'ARG' ? !buildArgs[text] : !['EXPOSE', 'VOLUME'].includes(name))
      throw new Error(name === 'ARG' ? `${text} has no value` : `unsupported instruction: ${name}`);
  }
  return { root: stage.root, stages: described, user: stage.user, env, command, healthCheck };
}

/** Returns what a step needs of this machine's environment, including the certificate of a proxy. */
function readEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns which files of the context are sent to the builder: only those that `.dockerignore` includes by name. */
async function readContext(context: string): Promise<(file: string) => boolean> {
  const lines = (await readFile(path.join(context, '.dockerignore'), 'utf8')).split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (rules[0] !== '*' || !rules.slice(1).every((rule) => /^![\w./-]+$/.test(rule)))
    throw new Error('unsupported .dockerignore: it must exclude everything and include by name');
  const names = rules.slice(1).map((rule) => rule.slice(1));
  return (file) =>
    file === '' ||
    names.some((name) => file === name || file.startsWith(`${name}/`) || name.startsWith(`${file}/`));
}

/** Reads the instructions of a Dockerfile, each with its arguments on one line. */
async function readInstructions(file: string): Promise<readonly (readonly [name: string, text: string])[]> {
  const text = (await readFile(file, 'utf8')).replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return [name, rest] as const;
  });
}
