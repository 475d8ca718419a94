import { CfnResource, type IAspect } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** A finding of checkov that is intended. */
type Skip = {
  readonly check: string;
  readonly type: string;
  /** Only resources whose path in the tree of constructs contains this. */
  readonly within?: string;
  readonly reason: string;
};

const OWN_KEYS =
  'AWS encrypts it with a key of its own. Another key would cost more and protect from nobody else.';

const SKIPS: readonly Skip[] = [
  {
    check: 'CKV_AWS_18',
    type: 'AWS::S3::Bucket',
    within: '/Logs/',
    reason: 'An access log of the log bucket would need another bucket without one.',
  },
  {
    check: 'CKV_AWS_21',
    type: 'AWS::S3::Bucket',
    within: '/Logs/',
    reason: 'Only AWS writes logs, and never to the same object again.',
  },
  {
    check: 'CKV_AWS_26',
    type: 'AWS::SNS::Topic',
    reason: 'Messages name alarms, no persons. They leave as plain mails.',
  },
  {
    check: 'CKV_AWS_65',
    type: 'AWS::ECS::Cluster',
    reason:
      'The alarms use the reports of the programs, which say more than the metrics of containers and cost less.',
  },
  { check: 'CKV_AWS_35', type: 'AWS::CloudTrail::Trail', reason: OWN_KEYS },
  {
    check: 'CKV_AWS_67',
    type: 'AWS::CloudTrail::Trail',
    reason: 'The trail reports the use of signing keys, which are in this region.',
  },
  {
    check: 'CKV_AWS_86',
    type: 'AWS::CloudFront::Distribution',
    reason: 'CloudWatch receives selected fields. The log that this check expects has addresses of clients.',
  },
  {
    check: 'CKV_AWS_115',
    type: 'AWS::Lambda::Function',
    reason:
      'The throttle of the HTTP API limits it. A reservation would take functions from the rest of the account.',
  },
  {
    check: 'CKV_AWS_116',
    type: 'AWS::Lambda::Function',
    reason: 'Only the HTTP API calls the function, and waits for its answer.',
  },
  {
    check: 'CKV_AWS_117',
    type: 'AWS::Lambda::Function',
    reason: 'It uses only public services of AWS, and Stripe. A private network would need a NAT gateway.',
  },
  { check: 'CKV_AWS_149', type: 'AWS::SecretsManager::Secret', reason: OWN_KEYS },
  { check: 'CKV_AWS_158', type: 'AWS::Logs::LogGroup', reason: OWN_KEYS },
  {
    check: 'CKV_AWS_173',
    type: 'AWS::Lambda::Function',
    reason: 'The environment has no secret, only the ARNs of secrets.',
  },
  {
    check: 'CKV_AWS_192',
    type: 'AWS::WAFv2::WebACL',
    reason: 'Nothing behind CloudFront runs Java.',
  },
];

/** Writes the intended findings of checkov into the metadata of the resources, where checkov reads them. */
export const CHECKOV_SKIPS: IAspect = {
  visit(node: IConstruct) {
    if (!(node instanceof CfnResource)) return;
    const skips = SKIPS.filter(
      ({ type, within = '' }) => type === node.cfnResourceType && node.node.path.includes(within),
    );
    if (skips.length === 0) return;
    node.addMetadata('checkov', { skip: skips.map(({ check, reason }) => ({ id: check, comment: reason })) });
  },
};
