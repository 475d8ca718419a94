import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createProgram as createGateway } from '../../gateway/cli.js';
import { SESSION_ALGORITHMS } from '../../gateway/core/configuration/session-algorithms.js';
import { createProgram as createGenerator } from '../../generator/cli.js';
import { formatStatusMetrics } from '../../generator/upkeep/status-metrics.js';
import type { ChainNow } from '../../generator/upkeep/inspect-store.js';
import { EXIT_CODES, TRANSIENT_EXITS } from '../../generator/core/generator-error.js';

const readRunbook = (program: string): Promise<string> =>
  readFile(path.join(import.meta.dirname, `../../${program}/RUNBOOK.md`), 'utf8');
const RUNBOOKS = { generator: await readRunbook('generator'), gateway: await readRunbook('gateway') };
const runbook = RUNBOOKS.generator;

const OUTPUT = { print: () => undefined, warn: () => undefined };
/** Creates a program that calls `run` instead of running a command. */
const CREATE = {
  generator: (run: () => Promise<void>) => createGenerator({ run }, OUTPUT),
  gateway: (run: () => Promise<void>) => createGateway({ run }, OUTPUT),
};
const PROGRAMS = ['generator', 'gateway'] as const;

/** Returns the words of a command line as a shell would split them, with addresses in place of the variables. */
function toWords(line: string): string[] {
  const places: Record<string, string> = {
    $A: 'file:./store',
    $BACKUP: 'file:./backup',
    $FRESH: 'file:./fresh',
    $IN: './metrics',
    $DIGEST: '0'.repeat(64),
    $SEQUENCE: '7',
    $ANCHOR: `https://data.example.com#${'A'.repeat(43)}`,
  };
  const words = line.match(/"[^"]*"|\S+/g) ?? [];
  return words.map((word) => places[word] ?? word.replaceAll('"', ''));
}

/** Every complete command line of a runbook, in code blocks and in sentences. */
const lines = PROGRAMS.flatMap((program) => {
  const patterns = [
    `^ *${program} (.*)$`,
    `\`${program} ([^\`]* --[^\`]*)\``,
    `dist/${program}/main\\.js (.*?)(?: >>.*)?$`,
  ];
  const found = patterns.flatMap((pattern) => [...RUNBOOKS[program].matchAll(new RegExp(pattern, 'gm'))]);
  return [...new Set(found.map(([, line = '']) => line))].map((line) => [program, line] as const);
});

it.each(lines)('the runbooks show command lines that the programs accept: %s %s', async (program, line) => {
  let calls = 0;
  const run = (): Promise<void> => Promise.resolve(void (calls += 1));
  await CREATE[program](run).parseAsync(toWords(line), { from: 'user' });
  expect(calls).toBe(1);
});

/** The systemd units of the runbook of the generator, by path. */
const units = Object.fromEntries(
  [...runbook.matchAll(/`\/etc\/systemd\/system\/([^`]+)`.*\n\n```ini\n([^`]*)```/g)].map(
    ([, name = '', text = '']) => [name, text],
  ),
);

describe('the runbook of the generator', () => {
  it('mentions every command', () => {
    for (const command of CREATE.generator(() => Promise.resolve()).commands)
      expect(runbook).toMatch(new RegExp(`\`${command.name()}[\` ]`));
  });

  it('shows a systemd service that does not retry an exit that needs a person', () => {
    const [, listed = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(runbook) ?? [];
    const { done, interrupted, ...failures } = EXIT_CODES;
    const transient = TRANSIENT_EXITS.map((name) => EXIT_CODES[name].code) as readonly number[];
    const lasting = Object.values(failures).filter(({ code }) => !transient.includes(code));
    expect(listed.split(' ').map(Number)).toEqual([...lasting.map(({ code }) => code), interrupted.code]);
    expect(runbook).toContain(`SuccessExitStatus=${interrupted.code}`); // systemd itself stopped it
    expect(done.code).toBe(0);
  });

  it('shows systemd units of sections and settings, each with one value on one line', () => {
    expect(Object.keys(units)).toEqual([
      'generator-publish.service',
      'generator-publish.timer',
      'generator-collect.service',
      'generator-publish.service.d/collect.conf',
    ]);
    for (const text of Object.values(units))
      expect(text).toMatch(/^(\[(Unit|Service|Timer|Install)\]\n([A-Z]\w+=.*\n)+\n?)+$/);
  });

  it('shows systemd units that publish after every end of collect, also a failure', () => {
    const dropIn = units['generator-publish.service.d/collect.conf'] ?? '';
    expect(dropIn).toMatch(/^Wants=generator-collect\.service$/m); // Requires= would not start publish after a failure
    expect(dropIn).toMatch(/^After=generator-collect\.service$/m);
    expect(dropIn).not.toMatch(/^(Requires|Requisite|BindsTo)=/m);
    const [reset, start] = [...dropIn.matchAll(/^ExecStart=(.*)$/gm)].map(([, command]) => command);
    const [, base = ''] = /^ExecStart=(.*)$/m.exec(units['generator-publish.service'] ?? '') ?? [];
    expect(reset).toBe(''); // without it, systemd would refuse a second command
    const collected = base.replace(' --require-all', ' --require-all --accept-collected');
    expect(start).toBe(collected.replace('/srv/metrics', 's3://bucket/metrics'));
    expect(units['generator-collect.service']).toContain('--into s3://bucket/metrics');
  });

  it('shows a service for collect that alerts unless the next hourly run may succeed', () => {
    const service = units['generator-collect.service'] ?? '';
    const [, listed = ''] = /^SuccessExitStatus=(.*)$/m.exec(service) ?? [];
    const transient = TRANSIENT_EXITS.map((name) => EXIT_CODES[name].code);
    expect(listed.split(' ').map(Number)).toEqual(transient);
    expect(service).toContain('OnFailure=generator-alert@%n.service');
    expect(service).not.toMatch(/^Restart=/m); // the timer starts it again
  });

  it('lists every metric of status with what to alert for', () => {
    const [, table = ''] = /^### Metrics\n(.*?)\n### /ms.exec(runbook) ?? [];
    const rows = [...table.matchAll(/^\| `(generator_\w+)` \| \S/gm)].map(([, name]) => name);
    const expiry = '2026-08-22T06:30:00Z';
    const signing = {
      key_set_version: 1,
      keys_expire: expiry,
      keys_days_left: 2,
      timestamp_expires: expiry,
      fault: null,
      remedy: null,
    };
    const status = { published_at: '2026-08-20T06:30:00Z', refusals: [], signing };
    const collected = { through: '2026-08-19', late_seconds: 0, awaited: [], drifts: [] };
    const text = formatStatusMetrics(
      { ...status, chains: { base: { updated_through: '2026-08-19' } as ChainNow } }, // nothing else is read
      { address: '', sequence: 1, as_of: '2026-08-20T06:15:00Z', chains: { base: collected } },
      0,
    );
    expect(rows).toEqual([...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name]) => name));
  });

  it('ends an alert without a mail only if this run exited 5, because a killed run leaves an old report', () => {
    const silencers = [...runbook.matchAll(/^.*\bjq -e .*$/gm)].map(([line]) => line);
    expect(silencers).toHaveLength(2); // systemd and cron
    for (const line of silencers) {
      // The old report says "5, and the same as before".
      const alert = (code: number, command = 'publish'): string =>
        execFileSync('sh', ['-c', `jq() { return 0; }\n${line}\necho mail`, 'alert', command, `${code}`], {
          env: line.includes('$1')
            ? {}
            : { MONITOR_UNIT: `generator-${command}.service`, MONITOR_EXIT_STATUS: `${code}` },
          encoding: 'utf8',
        });
      expect([5, 1, 3, 9, 137].map((code) => alert(code))).toEqual(['', ...Array<string>(4).fill('mail\n')]);
      expect(alert(5, 'collect')).toBe('mail\n'); // said once, whatever publish reported
    }
    expect(runbook).toMatch(/^15 \* \* \* \* cd .* \|\| \S+ publish \$\?$/m); // cron hands the exit code over
  });

  it('counts runs that wait for a person as runs, so that a refusal or a hold is not an alert every day', () => {
    const [, listed = ''] = /newest report with `exit\.code` (.*) is older/.exec(runbook) ?? [];
    const waiting = [EXIT_CODES.done, EXIT_CODES.refused, EXIT_CODES.held].map(({ code }) => code);
    expect(listed.split(/, | or /).map(Number)).toEqual(waiting);
  });

  it('lists every exit code with what to do', () => {
    const rows = [...runbook.matchAll(/^\| (\d+) +\| `([a-z-]+)` +\|/gm)].map(([, code, name]) => [
      Number(code),
      name,
    ]);
    expect(rows).toEqual(Object.entries(EXIT_CODES).map(([name, { code }]) => [code, name]));
  });
});

it('lists the algorithms of session tokens', () => {
  const [last, ...others] = [...SESSION_ALGORITHMS].reverse();
  const list = `${others.reverse().join(', ')} or ${last}`;
  expect(RUNBOOKS.gateway).toContain(`Session tokens are signed with ${list}.`);
});
