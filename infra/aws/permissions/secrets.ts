import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ORIGIN_VARIABLE } from '../../../gateway/lambda/variables.js';
import { DELIVERY_REGION, operatorSecrets, originSecretName } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/** The gateway's secrets. An operator sets those of Stripe; until then they have random values, with which the gateway does not start. */
export class SecretsPart extends Construct {
  /** The secrets by the gateway's environment variable. */
  readonly byVariable: ReadonlyMap<string, Secret>;

  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Secrets');
    const { region } = parameters;
    const origin = new Secret(this, 'Origin', {
      secretName: originSecretName(parameters),
      description: 'Header X-Origin-Secret that CloudFront sends to the gateway',
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      ...(region === DELIVERY_REGION ? {} : { replicaRegions: [{ region: DELIVERY_REGION }] }),
    });
    const ofOperator = [...operatorSecrets(parameters)];
    this.byVariable = new Map([
      [ORIGIN_VARIABLE, origin],
      ...ofOperator.map(([variable, name]) => [variable, this.createForOperator(variable, name)] as const),
    ]);
    for (const secret of this.byVariable.values()) {
      Validations.of(secret).acknowledge({
        id: 'AwsSolutions-SMG4',
        reason:
          'A rotation needs a time with two valid values, and steps by hand: "Rotate secrets" in infra/aws/README.md.',
      });
    }
  }

  /** Returns the permission to read all secrets. */
  readStatement(): PolicyStatement {
    return new PolicyStatement({
      sid: 'ReadSecrets',
      actions: ['secretsmanager:GetSecretValue'],
      resources: [...this.byVariable.values()].map(({ secretArn }) => secretArn),
    });
  }

  private createForOperator(variable: string, secretName: string): Secret {
    return new Secret(this, variable, {
      secretName,
      description: `Value of ${variable} of the gateway, set by an operator`,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }
}
