import { EXIT_CODES as GATEWAY_CODES } from '../../gateway/core/exit-codes.js';
import { EXIT_CODES } from '../../generator/core/generator-error.js';
import { HEARTBEAT_TIMEOUT_MS } from '../../generator/state/gc-policy.js';
import { readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { resolve } from '../support/aws/policy-simulator.js';
import {
  createRunMachines,
  TASK_FAILED,
  type RunMachines,
  type TaskEnd,
} from '../support/aws/run-machines.js';

const { Service } = await readTemplates();
let machines: RunMachines;
beforeAll(() => (machines = createRunMachines()));
afterAll(() => machines.stop());

/** Runs the machine of a program. Ends that are numbers are exit codes: 6 conflict, 7 store-unavailable, 8 damaged. */
const run = (name: string, ends: readonly TaskEnd[]) => {
  const stateMachines = Object.values(resourcesOf(Service, 'AWS::StepFunctions::StateMachine'));
  const machine = stateMachines.find(({ Properties }) => Properties?.['StateMachineName'] === `crd-${name}`);
  return machines.run(resolve(machine?.Properties?.['DefinitionString']), ends);
};

/** Returns a matcher for the task in a dead letter. */
const taskOf = (code: number): unknown =>
  expect.objectContaining({
    Containers: expect.arrayContaining([expect.objectContaining({ Name: 'program', ExitCode: code })]),
  });

it('a run that succeeds is run once and sends no dead letter', async () => {
  expect(await run('publish', [0])).toEqual({
    status: 'SUCCEEDED',
    attempts: 1,
    delays: [],
    letter: undefined,
  });
});

it.each<readonly [string, TaskEnd]>([
  ['another publish was faster', EXIT_CODES.conflict.code],
  ['the store cannot be reached', EXIT_CODES['store-unavailable'].code],
  ['the host stops the task', EXIT_CODES.interrupted.code],
  ['the task runs out of memory', 137],
  ['there is no host for the task', 'not started'],
  ['the image cannot be pulled', 'no exit code'],
  ['the task hangs', 'too long'],
])('a publish is retried if %s, and can then succeed', async (_name, end) => {
  expect(await run('publish', [end, end, 0])).toEqual({
    status: 'SUCCEEDED',
    attempts: 3,
    delays: [300, 600],
    letter: undefined,
  });
});

it('a publish that keeps failing fails with a dead letter that contains its exit code', async () => {
  const { letter, ...rest } = await run('publish', ['not started', 'too long', 6, 7]);
  expect(rest).toEqual({ status: 'FAILED', attempts: 4, delays: [300, 600, 1200] });
  expect(letter).toMatchObject({
    failure: { Error: TASK_FAILED, Task: taskOf(7) },
    retries: { left: 0 },
  });
});

it.each(['bug', 'usage', 'input-invalid', 'artifact-invalid', 'refused', 'damaged'] as const)(
  'a publish that ends with "%s" is not retried',
  async (name) => {
    const { code } = EXIT_CODES[name];
    expect(await run('publish', [7, code, 0])).toEqual({
      status: 'FAILED',
      attempts: 2,
      delays: [300],
      letter: expect.objectContaining({ failure: { Error: TASK_FAILED, Task: taskOf(code) } }),
    });
  },
);

it('a publish succeeds even if another container of its task fails', async () => {
  expect(await run('publish', ['a failing companion', 0])).toEqual({
    status: 'SUCCEEDED',
    attempts: 1,
    delays: [],
    letter: undefined,
  });
});

it('a publish to a held store counts as success', async () => {
  expect(await run('publish', [EXIT_CODES.held.code, 0])).toEqual({
    status: 'SUCCEEDED',
    attempts: 1,
    delays: [],
    letter: undefined,
  });
});

it('the monitor is retried once if public copies lag, and never for a wrong address', async () => {
  const { code } = EXIT_CODES.damaged;
  expect(await run('monitor', [code, 0])).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
  expect(await run('monitor', [code, code])).toMatchObject({ status: 'FAILED', attempts: 2 });
  expect(await run('monitor', [EXIT_CODES.usage.code])).toMatchObject({ status: 'FAILED', attempts: 1 });
});

it('the monitor succeeds while a refusal waits, because the publish has failed for it', async () => {
  const { code } = EXIT_CODES.refused;
  expect(await run('monitor', [code])).toMatchObject({ status: 'SUCCEEDED', attempts: 1 });
});

it('verification and copy are retried if the store is unavailable', async () => {
  for (const task of ['verify', 'copy']) {
    expect(await run(task, [7, 0])).toMatchObject({ status: 'SUCCEEDED', attempts: 2, delays: [300] });
  }
});

it('for a damaged store, verification is retried, and garbage collection and copy are not', async () => {
  expect(await run('verify', [8, 0])).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
  for (const task of ['gc', 'copy']) {
    expect(await run(task, [8])).toMatchObject({ status: 'FAILED', attempts: 1 });
  }
});

it('garbage collection is retried after the lease of a killed one has expired', async () => {
  const { delays, ...rest } = await run('gc', [7, 0]);
  expect(rest).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
  expect((delays[0] ?? 0) * 1000).toBeGreaterThan(HEARTBEAT_TIMEOUT_MS);
});

it('reconciliation is retried if Stripe does not answer, and not if it found drift', async () => {
  const { found, bug } = GATEWAY_CODES;
  const { code: unavailable } = GATEWAY_CODES['billing-unavailable'];
  expect(await run('reconcile', [unavailable, 0])).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
  for (const { code } of [found, bug]) {
    expect(await run('reconcile', [code])).toMatchObject({ status: 'FAILED', attempts: 1 });
  }
});
