import { EXIT_CODES as GATEWAY_CODES } from '../../gateway/core/exit-codes.js';
import { EXIT_CODES } from '../../generator/core/generator-error.js';
import { SILENCE_MS } from '../../generator/io/collection-terms.js';
import { resourcesOf } from '../fixtures/aws-synth.js';
import { resolve } from '../fixtures/policy-simulator.js';
import { createRunMachines, TASK_FAILED, type RunMachines, type TaskEnd } from '../fixtures/run-machines.js';
import { useTemplates } from '../fixtures/use-templates.js';

const templates = useTemplates();
let machines: RunMachines;
beforeAll(() => (machines = createRunMachines()));
afterAll(() => machines.stop());

const run = (name: string, ends: readonly TaskEnd[]) => {
  const all = Object.values(resourcesOf(templates().Service, 'AWS::StepFunctions::StateMachine'));
  const machine = all.find(({ Properties }) => Properties?.['StateMachineName'] === `crd-${name}`);
  return machines.run(resolve(machine?.Properties?.['DefinitionString']), ends);
};

/** What a letter says of a task. */
const taskOf = (code: number): unknown =>
  expect.objectContaining({
    Containers: expect.arrayContaining([expect.objectContaining({ Name: 'program', ExitCode: code })]),
  });

it('a run that ends well is run once, and tells nobody', async () => {
  expect(await run('publish', [0])).toEqual({ status: 'SUCCEEDED', tries: 1, pauses: [], letter: undefined });
});

it.each<readonly [string, TaskEnd]>([
  ['another publisher was faster', EXIT_CODES.conflict.code],
  ['the store cannot be reached', EXIT_CODES['store-unavailable'].code],
  ['the host stops the task', EXIT_CODES.interrupted.code],
  ['the memory did not suffice', 137],
  ['there was no host for the task', 'not started'],
  ['the image could not be fetched', 'no exit code'],
  ['the task hung', 'too long'],
])('a publication is tried again when %s, and is well when that passes', async (_name, end) => {
  expect(await run('publish', [end, end, 0])).toEqual({
    status: 'SUCCEEDED',
    tries: 3,
    pauses: [300, 600],
    letter: undefined,
  });
});

it('a publication that goes on failing is given up, with a letter that says how it ended', async () => {
  const { letter, ...rest } = await run('publish', ['not started', 'too long', 6, 7]);
  expect(rest).toEqual({ status: 'FAILED', tries: 4, pauses: [300, 600, 1200] });
  expect(letter).toMatchObject({
    failure: { Error: TASK_FAILED, Task: taskOf(7) },
    tries: { left: 0 },
  });
});

it.each(['bug', 'usage', 'input-invalid', 'artifact-invalid', 'refused', 'damaged'] as const)(
  'a publication that ended with "%s" waits for a person, who is told at once',
  async (name) => {
    const { code } = EXIT_CODES[name];
    expect(await run('publish', [7, code, 0])).toEqual({
      status: 'FAILED',
      tries: 2,
      pauses: [300],
      letter: expect.objectContaining({ failure: { Error: TASK_FAILED, Task: taskOf(code) } }),
    });
  },
);

it('a publication that ended well is well, whatever became of what ran beside it', async () => {
  expect(await run('publish', ['a failing companion', 0])).toEqual({
    status: 'SUCCEEDED',
    tries: 1,
    pauses: [],
    letter: undefined,
  });
});

it('a publication that is held ends as it is meant to', async () => {
  expect(await run('publish', [EXIT_CODES.held.code, 0])).toEqual({
    status: 'SUCCEEDED',
    tries: 1,
    pauses: [],
    letter: undefined,
  });
});

it('the monitor looks twice before it says that public copies lag, but not at a mistyped address', async () => {
  const { code } = EXIT_CODES.damaged;
  expect(await run('monitor', [code, 0])).toMatchObject({ status: 'SUCCEEDED', tries: 2 });
  expect(await run('monitor', [code, code])).toMatchObject({ status: 'FAILED', tries: 2 });
  expect(await run('monitor', [EXIT_CODES.usage.code])).toMatchObject({ status: 'FAILED', tries: 1 });
});

it('what keeps the store well is tried again for want of the store', async () => {
  for (const task of ['verify', 'copy']) {
    expect(await run(task, [7, 0])).toMatchObject({ status: 'SUCCEEDED', tries: 2, pauses: [300] });
  }
});

it('a store that is damaged is looked at twice before somebody is told, and neither collected nor copied', async () => {
  expect(await run('verify', [8, 0])).toMatchObject({ status: 'SUCCEEDED', tries: 2 });
  for (const task of ['collect', 'copy']) {
    expect(await run(task, [8])).toMatchObject({ status: 'FAILED', tries: 1 });
  }
});

it('a collection is tried again when the one that broke off is forgotten, not before', async () => {
  const { pauses, ...rest } = await run('collect', [7, 0]);
  expect(rest).toMatchObject({ status: 'SUCCEEDED', tries: 2 });
  expect((pauses[0] ?? 0) * 1000).toBeGreaterThan(SILENCE_MS);
});

it('the comparison with Stripe is tried again while Stripe is silent, and not when it found something', async () => {
  const { found, bug } = GATEWAY_CODES;
  const { code: silent } = GATEWAY_CODES['billing-unavailable'];
  expect(await run('reconcile', [silent, 0])).toMatchObject({ status: 'SUCCEEDED', tries: 2 });
  for (const { code } of [found, bug]) {
    expect(await run('reconcile', [code])).toMatchObject({ status: 'FAILED', tries: 1 });
  }
});
