import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  AnyPrincipal,
  ArnPrincipal,
  Effect,
  PolicyDocument,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import { Alias, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { roleArn, roleNames } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';
import type { RolesPart } from './roles.js';

/** The longest that AWS allows: until then, a deletion can be cancelled. */
const DELETION_DELAY = Duration.days(30);

/** What administrators may do with a key. To sign, they would have to change its policy first, which causes a mail. */
const ADMINISTRATION = [
  'Describe*',
  'Get*',
  'List*',
  'PutKeyPolicy',
  'UpdateKeyDescription',
  'EnableKey',
  'DisableKey',
  'ScheduleKeyDeletion',
  'CancelKeyDeletion',
  'RevokeGrant',
  'TagResource',
  'UntagResource',
  'CreateAlias',
  'UpdateAlias',
  'DeleteAlias',
].map((action) => `kms:${action}`);

type Signing = NonNullable<Parameters['signing']>;

/** The keys that sign releases, in KMS. Only publish can sign with them. */
export class SigningKeysPart extends Construct {
  /** ARNs of the keys by their names. */
  readonly arns: ReadonlyMap<string, string>;
  /** ARN of the key that signs; undefined if none does yet. */
  readonly usedArn: string | undefined;

  constructor(scope: Construct, parameters: Parameters, signing: Signing, roles: RolesPart) {
    super(scope, 'SigningKeys');
    const policy = keyPolicyOf(parameters, roles);
    const { name } = parameters;
    this.arns = new Map(signing.keys.map((keyName) => [keyName, this.create(name, keyName, policy).keyArn]));
    this.usedArn = signing.use === undefined ? undefined : this.arns.get(signing.use);
    for (const [keyName, value] of this.arns) {
      new CfnOutput(Stack.of(this), `SigningKey${keyName}`, {
        value,
        description: `ARN of the signing key ${keyName}`,
      });
    }
  }

  private create(name: string, keyName: string, policy: PolicyDocument): Key {
    const key = new Key(this, `Key${keyName}`, {
      description: `Signs releases of ${name}, until it is replaced: "Rotate the release key" in infra/aws/README.md`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      pendingWindow: DELETION_DELAY,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      policy,
    });
    new Alias(this, `Alias${keyName}`, { aliasName: `alias/${name}-release-${keyName}`, targetKey: key });
    return key;
  }
}

/**
 * Returns the policy of a key. IAM policies cannot extend it: it delegates only administration to the account, and denies
 * signing to everybody but the role of the publish.
 */
function keyPolicyOf(parameters: Parameters, { generator }: RolesPart): PolicyDocument {
  const publisher = new ArnPrincipal(generator.roleArn);
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        sid: 'Administer',
        principals: [new AccountPrincipal(parameters.account)],
        actions: ADMINISTRATION,
        resources: ['*'],
      }),
      new PolicyStatement({
        sid: 'ReadPublicKey',
        principals: [publisher],
        actions: ['kms:GetPublicKey'],
        resources: ['*'],
      }),
      new PolicyStatement({
        sid: 'SignReleases',
        principals: [publisher],
        actions: ['kms:Sign'],
        resources: ['*'],
        conditions: {
          StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' },
        },
      }),
      new PolicyStatement({
        sid: 'DenyOtherSigners',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['kms:Sign'],
        resources: ['*'],
        conditions: {
          ArnNotEquals: { 'aws:PrincipalArn': roleArn(parameters, roleNames(parameters).generator) },
        },
      }),
    ],
  });
}
