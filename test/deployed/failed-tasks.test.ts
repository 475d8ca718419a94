import { readTemplates, propertiesOf } from '../support/aws/aws-synth.js';

const { Service } = await readTemplates();
const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/crd';

/**
 * Returns true if the EventBridge of the server `CRD_TEST_S3_ENDPOINT` matches the rule's pattern with a stopped task. Unlike Amazon's,
 * it does not require that the members of a container match together.
 */
async function isMailed(containers: readonly object[], stopCode: string): Promise<boolean> {
  const { EventPattern } = propertiesOf(Service, 'AWS::Events::Rule', { Name: 'crd-failed-tasks' });
  const pattern = JSON.stringify(EventPattern, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && 'Fn::GetAtt' in value ? CLUSTER : value,
  );
  const event = {
    id: '1',
    account: '123456789012',
    region: 'eu-west-1',
    time: '2026-11-22T08:12:00Z',
    resources: [],
    source: 'aws.ecs',
    'detail-type': 'ECS Task State Change',
    detail: {
      clusterArn: CLUSTER,
      taskDefinitionArn: 'arn:aws:ecs:eu-west-1:123456789012:task-definition/crd-copy:12',
      lastStatus: 'STOPPED',
      stopCode,
      containers,
    },
  };
  const response = await fetch(process.env['CRD_TEST_S3_ENDPOINT'] ?? '', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.TestEventPattern',
      // It names the service; the server does not check the signature.
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20261122/eu-west-1/events/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify({ EventPattern: pattern, Event: JSON.stringify(event) }),
  });
  const { Result } = (await response.json()) as { Result?: boolean };
  if (Result === undefined) throw new Error(`EventBridge answered ${response.status}`);
  return Result;
}

const EXITED = 'EssentialContainerExited';
const program = (exitCode: number): object => ({ name: 'program', exitCode });

it('EventBridge matches the tasks that failed, and no others', async () => {
  expect(await isMailed([program(0)], EXITED)).toBe(false);
  expect(await isMailed([program(8)], EXITED)).toBe(true);
  expect(await isMailed([program(124)], EXITED)).toBe(true);
  expect(await isMailed([{ name: 'program' }], 'TaskFailedToStart')).toBe(true);
  expect(await isMailed([{ name: 'program' }], EXITED)).toBe(true);
});
