import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import {
  CfnDelivery,
  CfnDeliveryDestination,
  CfnDeliverySource,
  LogGroup,
  RetentionDays,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/** Logged fields of a request. They contain neither query, cookies nor the client's address. */
const LOG_FIELDS = [
  'date',
  'time',
  'x-edge-location',
  'sc-bytes',
  'cs-method',
  'cs(Host)',
  'cs-uri-stem',
  'sc-status',
  'x-edge-result-type',
  'x-edge-request-id',
  'cs-protocol',
  'time-taken',
  'ssl-protocol',
  'x-edge-detailed-result-type',
  'sc-content-type',
  'c-country',
];

/** Logs chosen fields of all requests. The query must not be logged: a caller may put a key there by mistake. */
export function createAccessLog(scope: Construct, distribution: Distribution, parameters: Parameters): void {
  const { name } = parameters;
  const group = new LogGroup(scope, 'Log', {
    logGroupName: logNames(parameters).delivery,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  const source = new CfnDeliverySource(scope, 'LogSource', {
    name: `${name}-delivery`,
    logType: 'ACCESS_LOGS',
    resourceArn: Fn.join('', [
      'arn:aws:cloudfront::',
      Stack.of(scope).account,
      ':distribution/',
      distribution.distributionId,
    ]),
  });
  const destination = new CfnDeliveryDestination(scope, 'LogDestination', {
    name: `${name}-delivery`,
    destinationResourceArn: group.logGroupArn,
    outputFormat: 'json',
  });
  const delivery = new CfnDelivery(scope, 'LogDelivery', {
    deliverySourceName: source.name,
    deliveryDestinationArn: destination.attrArn,
    recordFields: LOG_FIELDS,
  });
  delivery.addResourceDependency(source);
}
