import { propertiesOf, readTemplates } from '../support/aws/aws-synth.js';
import { matchesPattern, type Pattern } from '../support/aws/event-pattern.js';
import { resolve } from '../support/aws/policy-simulator.js';

const { Service } = await readTemplates();
const RULE = propertiesOf(Service, 'AWS::Events::Rule', { Name: 'crd-failed-tasks' });
const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/crd';
const pattern = JSON.parse(
  JSON.stringify(RULE['EventPattern'], (_name, value: unknown) =>
    typeof value === 'object' && value !== null && 'Fn::GetAtt' in value ? CLUSTER : value,
  ),
) as Pattern;

type Container = { readonly name: string; readonly exitCode?: number };
const AGENT = { name: 'aws-guardduty-agent', exitCode: 137 };

/** Returns true if a mail is sent about a stopped task. */
function isMailed(containers: readonly Container[], detail: object = {}, name = 'copy'): boolean {
  return matchesPattern(pattern, {
    source: 'aws.ecs',
    'detail-type': 'ECS Task State Change',
    detail: {
      clusterArn: CLUSTER,
      taskDefinitionArn: `arn:aws:ecs:eu-west-1:123456789012:task-definition/crd-${name}:12`,
      lastStatus: 'STOPPED',
      stopCode: 'EssentialContainerExited',
      containers,
      ...detail,
    },
  });
}

const exited = (exitCode: number): Container[] => [{ name: 'program', exitCode }];

it.each(['verify', 'gc', 'gcinput', 'copy', 'reconcile'])('a failed run of %s is mailed', (name) => {
  expect(isMailed(exited(8), {}, name)).toBe(true);
  expect(isMailed(exited(0), {}, name)).toBe(false);
});

it.each(['publish', 'collect', 'monitor', 'copying'])(
  'a failed run of %s is not mailed: alarms watch the hourly runs',
  (name) => expect(isMailed(exited(1), {}, name)).toBe(false),
);

it.each([1, 2, 6, 7, 8, 10, 124, 130, 137])('exit code %i is mailed', (code) => {
  expect(isMailed(exited(code))).toBe(true);
  expect(isMailed([AGENT, ...exited(code)])).toBe(true);
});

it('another container that fails is not mailed if the program succeeds', () => {
  expect(isMailed([AGENT, ...exited(0)])).toBe(false);
});

it('a task that does not start is mailed, with and without other containers', () => {
  for (const containers of [[], [{ name: 'program' }], [AGENT, { name: 'program' }]])
    expect(isMailed(containers, { stopCode: 'TaskFailedToStart' })).toBe(true);
  expect(isMailed([{ name: 'program' }])).toBe(true); // exited without a code
});

it('a task that still runs is not mailed, and a stopped one only in our cluster', () => {
  expect(isMailed([{ name: 'program' }], { lastStatus: 'RUNNING', stopCode: undefined })).toBe(false);
  expect(isMailed(exited(1), { clusterArn: `${CLUSTER}-2` })).toBe(false);
});

it('the mail names the task, why it stopped and its exit codes', () => {
  const [target] = RULE['Targets'] as [
    { InputTransformer: { InputPathsMap: object; InputTemplate: unknown } },
  ];
  const { InputPathsMap, InputTemplate } = target.InputTransformer;
  const text = resolve(InputTemplate);
  expect(Object.values(InputPathsMap)).toEqual(
    ['taskArn', 'taskDefinitionArn', 'stoppedReason', 'containers'].map((name) => `$.detail.${name}`),
  );
  for (const [name] of Object.entries(InputPathsMap)) expect(text).toContain(`<${name}>`);
  expect(text).toContain('Failed runs');
});
