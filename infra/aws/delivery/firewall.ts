import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { ENDPOINTS } from '../../../schemas/paths.js';
import { PROBLEMS } from '../../../schemas/problems.js';
import type { Parameters } from '../settings/parameters.js';

const WINDOW_SECONDS = 60;
/** Requests a minute. The one for a key is also the default of the gateway, which counts in each function separately. */
const DEFAULTS = { perAddress: 1200, perKey: 600 };
const KEY_HEADERS = { Key: 'x-api-key', Bearer: 'authorization' };
const TOO_MANY = 'TooMany';

/** One key is one counter, in whatever spelling of the scheme and its blanks it is sent. */
const SPELLING = ['COMPRESS_WHITE_SPACE', 'LOWERCASE'].map((type, priority) => ({ priority, type }));

type Rule = CfnWebACL.RuleProperty;

/** Creates the firewall of CloudFront. The HTTP API cannot have one. Returns its ARN. */
export function createFirewall(
  scope: Construct,
  name: string,
  limits: Exclude<Parameters['firewall'], false | undefined>,
): string {
  const { perAddress, perKey } = { ...DEFAULTS, ...limits };
  const { status, title } = PROBLEMS['rate-limited'];
  const firewall = new CfnWebACL(scope, 'Firewall', {
    name: `${name}-delivery`,
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: visibility(`${name}-delivery`),
    customResponseBodies: {
      [TOO_MANY]: { contentType: 'APPLICATION_JSON', content: JSON.stringify({ status, title }) },
    },
    rules: [
      { ...rule('Webhook', 0, isWebhook()), action: { allow: {} } }, // Stripe has no key and sends many events at once
      { ...rule('Reputation', 1, reputation()), overrideAction: { none: {} } },
      { ...rule('Address', 2, rate({ limit: perAddress, aggregateKeyType: 'IP' })), action: tooMany(status) },
      ...Object.entries(KEY_HEADERS).map(([id, header], at) => ({
        ...rule(id, 3 + at, rate({ limit: perKey, ...byHeader(header) })),
        action: tooMany(status),
      })),
    ],
  });
  return firewall.attrArn;
}

function rule(name: string, priority: number, statement: Rule['statement']): Rule {
  return { name, priority, statement, visibilityConfig: visibility(name) };
}

/** Samples of requests would show the keys of subscribers. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

function isWebhook(): Rule['statement'] {
  return {
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      positionalConstraint: 'EXACTLY',
      searchString: ENDPOINTS.webhook,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  };
}

/** Addresses that AWS knows as attackers. Not the list of hosting providers, where the programs of subscribers run. */
function reputation(): Rule['statement'] {
  return { managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' } };
}

function rate(props: Omit<CfnWebACL.RateBasedStatementProperty, 'evaluationWindowSec'>): Rule['statement'] {
  return { rateBasedStatement: { ...props, evaluationWindowSec: WINDOW_SECONDS } };
}

/** Requests without the header are not counted. */
function byHeader(name: string) {
  return {
    aggregateKeyType: 'CUSTOM_KEYS',
    customKeys: [{ header: { name, textTransformations: SPELLING } }],
  };
}

function tooMany(responseCode: number): CfnWebACL.RuleActionProperty {
  return {
    block: {
      customResponse: {
        responseCode,
        customResponseBodyKey: TOO_MANY,
        responseHeaders: [{ name: 'Retry-After', value: String(WINDOW_SECONDS) }],
      },
    },
  };
}
