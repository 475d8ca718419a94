import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SFNClient } from '@aws-sdk/client-sfn';
import { propertiesOf, readTemplates } from '../support/aws/aws-synth.js';
import { resolve } from '../support/aws/policy-simulator.js';
import { createMachine, type Machine } from '../support/aws/state-machine.js';

const { Service } = await readTemplates();
const { detail: SIGNED } = JSON.parse(
  await readFile(new URL('../aws/events/kms-sign.json', import.meta.url), 'utf8'),
) as { detail: Readonly<Record<string, unknown>> };

const WHY = 'crd: a release key signed outside a run of crd-publish.\n';

let client: SFNClient;
let publish: Machine;
beforeAll(async () => {
  client = new SFNClient({ endpoint: process.env['CRD_TEST_S3_ENDPOINT'] ?? '' });
  publish = await createMachine(client, {
    StartAt: 'Run',
    States: { Run: { Type: 'Wait', Seconds: 4, End: true } },
  });
});
afterAll(() => client.destroy());

/** Creates the watch for a machine of the publish. Instead of sending a mail, it ends with it. */
async function createWatch(publishArn: string): Promise<Machine> {
  const { DefinitionString } = propertiesOf(Service, 'AWS::StepFunctions::StateMachine', {
    StateMachineName: 'crd-signing-watch',
  });
  const definition = resolve(DefinitionString)
    .replace(/<RunsPublishMachine\w+>/, publishArn)
    .replaceAll('<AWS::Partition>', 'aws');
  const { States, ...rest } = JSON.parse(definition) as { States: Record<string, { Parameters?: object }> };
  const { Parameters } = States['Alert'] ?? {};
  return createMachine(client, {
    ...rest,
    States: { ...States, Alert: { Type: 'Pass', Parameters: Parameters, ResultPath: '$.mail', End: true } },
  });
}

/** Returns the mail about a call; `undefined` if none is sent. */
async function mailAbout(
  call: object,
  { check = true, publishArn = publish.arn } = {},
): Promise<string | undefined> {
  const watch = await createWatch(publishArn);
  const event = { ...SIGNED, ...call };
  const output = await watch.outputOf(await watch.start({ check, why: WHY, event }));
  return (output as { mail?: { Message: string } }).mail?.Message;
}

/** Returns a time as CloudTrail writes it: without a fraction of a second. */
const toEventTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

it('sends no mail about a signature during a run, also if it is reported after the run', async () => {
  const run = await publish.start();
  const during = { eventTime: toEventTime(Date.now() + 1_000) }; // without its fraction, not before the start
  expect(await mailAbout(during)).toBeUndefined();
  await publish.outputOf(run);
  await sleep(1_000);
  expect(await mailAbout(during)).toBeUndefined();
}, 60_000);

it('sends a mail about a signature before and after the runs', async () => {
  await publish.outputOf(await publish.start());
  for (const ms of [Date.now() - 3_600_000, Date.now() + 60_000]) {
    const eventTime = toEventTime(ms);
    expect(await mailAbout({ eventTime })).toBe(`${WHY}${JSON.stringify({ ...SIGNED, eventTime })}`);
  }
}, 60_000);

it('sends a mail about a signature of a deployment that never ran, and if the runs cannot be listed', async () => {
  const { arn } = await createMachine(client, { StartAt: 'Run', States: { Run: { Type: 'Succeed' } } });
  expect(await mailAbout({}, { publishArn: arn })).toContain(WHY);
  expect(await mailAbout({}, { publishArn: `${arn}-missing` })).toContain(WHY);
});

it('sends a mail about any other event without a look at the runs', async () => {
  const mail = await mailAbout(
    { errorCode: 'AccessDenied', userIdentity: { type: 'Root' }, sourceIPAddress: undefined },
    { check: false, publishArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:missing' },
  );
  expect(mail).toContain('"errorCode":"AccessDenied"');
});
