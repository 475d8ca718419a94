import { ENDPOINTS } from '../../schemas/paths.js';
import { isMatch } from '../support/aws/filter-pattern.js';
import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';

const { Delivery, Service } = await readTemplates();
const alarms = Object.values(resourcesOf(Delivery, 'AWS::CloudWatch::Alarm')).map(
  ({ Properties = {} }) => Properties,
);

it('the site is requested from outside, over HTTPS and through CloudFront', () => {
  expect(propertiesOf(Delivery, 'AWS::Route53::HealthCheck')['HealthCheckConfig']).toMatchObject({
    Type: 'HTTPS',
    FullyQualifiedDomainName: 'data.example.com',
    Port: 443,
    ResourcePath: '/readyz',
    EnableSNI: true,
  });
});

it('an outage as readers see it, errors and volume of CloudFront send a mail', () => {
  const [topic] = Object.keys(resourcesOf(Delivery, 'AWS::SNS::Topic'));
  expect(alarms.map(({ AlarmName }) => AlarmName)).toEqual([
    'crd-SiteDown',
    'crd-CertificateExpires',
    'crd-Delivery5xx',
    'crd-DeliveryVolume',
  ]);
  for (const alarm of alarms) {
    expect(alarm).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
  }
  expect(propertiesOf(Delivery, 'AWS::SNS::Subscription')).toMatchObject({
    TopicArn: { Ref: topic },
    Endpoint: 'operators@example.com',
  });
});

it('a check that reports nothing counts as an outage', () => {
  const [check] = Object.keys(resourcesOf(Delivery, 'AWS::Route53::HealthCheck'));
  expect(alarms.find(({ AlarmName }) => AlarmName === 'crd-SiteDown')).toMatchObject({
    Namespace: 'AWS/Route53',
    MetricName: 'HealthCheckStatus',
    Dimensions: [{ Name: 'HealthCheckId', Value: { Ref: check } }],
    Statistic: 'Minimum',
    Threshold: 1,
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
  });
});

it('metrics of CloudFront are read with the dimensions that it has', () => {
  const [distribution] = Object.keys(resourcesOf(Delivery, 'AWS::CloudFront::Distribution'));
  const text = JSON.stringify(alarms);
  const dimensions = [
    { Name: 'DistributionId', Value: { Ref: distribution } },
    { Name: 'Region', Value: 'Global' },
  ];
  expect(text.split(JSON.stringify(dimensions)).length - 1).toBe(3);
});

it('costs above the budget send a mail, before the end of the month', () => {
  expect(propertiesOf(Delivery, 'AWS::Budgets::Budget')).toMatchObject({
    Budget: { TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 100, Unit: 'USD' } },
    NotificationsWithSubscribers: [
      { Notification: { NotificationType: 'ACTUAL', Threshold: 80 } },
      { Notification: { NotificationType: 'FORECASTED', Threshold: 100 } },
    ],
  });
});

describe('the filter of requests that the origin check refused', () => {
  const filters = Object.values(resourcesOf(Service, 'AWS::Logs::MetricFilter'));
  const filter = filters.find(({ Properties }) => JSON.stringify(Properties).includes('"OriginRefused"'));
  const pattern = String(filter?.Properties?.['FilterPattern']);
  const { AccessLogSettings } = propertiesOf(Service, 'AWS::ApiGatewayV2::Stage') as {
    AccessLogSettings: { Format: string };
  };
  /** Returns a line of the API's log, with these values of its variables. */
  const lineOf = (values: Readonly<Record<string, string>>): string =>
    AccessLogSettings.Format.replaceAll(/\$context\.(\w+)/g, (_all, name: string) => values[name] ?? '-');

  it.each([
    ['counts a refusal, which has no body', { status: '403', responseLength: '0' }, true],
    ['does not count a file that the plan does not include', { status: '403', responseLength: '412' }, false],
    [
      'does not count a refused HEAD, which has no body either',
      { status: '403', responseLength: '0', httpMethod: 'HEAD' },
      false,
    ],
    ['does not count an unchanged file', { status: '304', responseLength: '0' }, false],
  ])('%s', (_title, values, isCounted) => {
    expect(isMatch(pattern, lineOf({ ...values, path: ENDPOINTS.entitlements }))).toBe(isCounted);
  });
});
