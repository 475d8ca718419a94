import { ENDPOINTS } from '../../schemas/paths.js';
import { propertiesOf, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';

const { Delivery, Service } = await readTemplates();

type Rule = {
  readonly Name: string;
  readonly Priority: number;
  readonly Statement: object;
  readonly Action?: { readonly Allow?: object; readonly Block?: object };
};
const { Rules, ...firewall } = propertiesOf(Delivery, 'AWS::WAFv2::WebACL') as { Rules: Rule[] };
const rule = (name: string): Rule | undefined => Rules.find(({ Name }) => Name === name);

it('CloudFront uses the firewall', () => {
  const [id] = Object.keys(resourcesOf(Delivery, 'AWS::WAFv2::WebACL'));
  expect(firewall).toMatchObject({ Scope: 'CLOUDFRONT', DefaultAction: { Allow: {} } });
  expect(propertiesOf(Delivery, 'AWS::CloudFront::Distribution')['DistributionConfig']).toMatchObject({
    WebACLId: { 'Fn::GetAtt': [id, 'Arn'] },
  });
});

it('events of Stripe pass before any other rule', () => {
  expect(Rules.toSorted((a, b) => a.Priority - b.Priority)[0]).toMatchObject({
    Action: { Allow: {} },
    Statement: {
      ByteMatchStatement: {
        FieldToMatch: { UriPath: {} },
        PositionalConstraint: 'EXACTLY',
        SearchString: ENDPOINTS.webhook,
      },
    },
  });
});

it('refuses too many requests in a minute from an address, or with a key from any address', () => {
  expect(rule('Address')?.Statement).toEqual({
    RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 1200 },
  });
  for (const [name, header] of [
    ['Key', 'x-api-key'],
    ['Bearer', 'authorization'],
  ]) {
    expect(rule(name ?? '')?.Statement).toMatchObject({
      RateBasedStatement: {
        AggregateKeyType: 'CUSTOM_KEYS',
        CustomKeys: [{ Header: { Name: header } }],
        EvaluationWindowSec: 60,
        Limit: 600,
      },
    });
  }
  for (const name of ['Address', 'Key', 'Bearer']) {
    expect(rule(name)?.Action).toMatchObject({
      Block: {
        CustomResponse: { ResponseCode: 429, ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }] },
      },
    });
  }
});

it('refuses addresses that AWS knows as attackers', () => {
  expect(rule('Reputation')).toMatchObject({
    OverrideAction: { None: {} },
    Statement: { ManagedRuleGroupStatement: { Name: 'AWSManagedRulesAmazonIpReputationList' } },
  });
});

it('keeps no samples of requests, which would have keys', () => {
  const text = JSON.stringify([Rules, firewall]);
  expect(text.match(/"SampledRequestsEnabled":false/g)).toHaveLength(Rules.length + 1);
  expect(text).not.toContain('"SampledRequestsEnabled":true');
});

it('the HTTP API accepts 100 requests a second', () => {
  expect(propertiesOf(Service, 'AWS::ApiGatewayV2::Stage')['DefaultRouteSettings']).toEqual({
    ThrottlingRateLimit: 100,
    ThrottlingBurstLimit: 200,
  });
});
