import { toConfiguration } from '../../gateway/core/configuration/configuration.js';
import { simulateAlarm } from '../support/aws/alarm-simulator.js';
import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { resolve } from '../support/aws/policy-simulator.js';

const SECRETS = {
  CRD_STRIPE_SECRET_KEY: 'sk_live_0123456789',
  CRD_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
};

const { Service } = await readTemplates();
const properties = propertiesOf(Service, 'AWS::Lambda::Function', { FunctionName: 'crd-gateway' });
const { Variables: variables } = properties['Environment'] as { Variables: Record<string, unknown> };

it('has a valid configuration of the gateway, once the secrets are added', () => {
  const { SECRETS: listed, ...env } = variables;
  const configuration = toConfiguration({ ...(env as Record<string, string>), ...SECRETS });
  expect(configuration).not.toHaveProperty('faults');
  const names = [...resolve(listed).matchAll(/"([A-Z_]+)":/g)].map(([, name]) => name);
  expect(names).toEqual(['CRD_ORIGIN_SECRET', ...Object.keys(SECRETS)]);
});

it('has no secret in its environment', () => {
  expect(JSON.stringify(variables)).not.toMatch(/sk_|whsec_|resolve:secretsmanager/);
});

it('runs on ARM, with a shorter timeout than the API', () => {
  expect(properties).toMatchObject({ Architectures: ['arm64'], Handler: 'handler.handler', Timeout: 20 }); // the API: 30 s
});

it('a new version gets a tenth of the requests for 15 minutes, and none again if the gateway fails', () => {
  const [alias] = Object.values(resourcesOf(Service, 'AWS::Lambda::Alias'));
  const [groupId = ''] = Object.keys(resourcesOf(Service, 'AWS::CodeDeploy::DeploymentGroup'));
  const [applicationId = ''] = Object.keys(resourcesOf(Service, 'AWS::CodeDeploy::Application'));
  expect(alias).toMatchObject({
    UpdatePolicy: {
      CodeDeployLambdaAliasUpdate: {
        ApplicationName: { Ref: applicationId },
        DeploymentGroupName: { Ref: groupId },
      },
    },
  });
  const alarms = Object.entries(resourcesOf(Service, 'AWS::CloudWatch::Alarm'));
  const [alarmId = ''] =
    alarms.find(([, { Properties }]) => Properties?.['AlarmName'] === 'crd-Answers5xx') ?? [];
  expect(propertiesOf(Service, 'AWS::CodeDeploy::DeploymentGroup')).toMatchObject({
    DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent15Minutes',
    AlarmConfiguration: { Enabled: true, Alarms: [{ Name: { Ref: alarmId } }] },
    AutoRollbackConfiguration: {
      Enabled: true,
      Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
    },
  });
});

it('the alarm of a deployment is raised within its 15 minutes, also by a tenth of the requests', () => {
  const alarm = propertiesOf(Service, 'AWS::CloudWatch::Alarm', { AlarmName: 'crd-Answers5xx' });
  const begin = 24 * 60;
  const points = (value: (minute: number) => number) =>
    Array.from({ length: 2 * begin }, (_, minute) => ({ minute, value: value(minute) }));
  for (const offset of [0, 1, 2, 3, 4]) {
    const isFailing = (minute: number): boolean => minute >= begin + offset;
    const series = { Count: points(() => 100), '5xx': points((minute) => (isFailing(minute) ? 10 : 0)) };
    const placement = { isAligned: true, extraPeriods: 0 };
    const [mail] = simulateAlarm(alarm, series, { minutes: 2 * begin, placement });
    expect((mail?.minute ?? Infinity) - begin - offset).toBeLessThanOrEqual(10);
  }
});
