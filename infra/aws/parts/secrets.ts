import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ORIGIN_VARIABLE } from '../lambda/variables.js';
import { DELIVERY_REGION, originSecretName } from '../names.js';
import type { Parameters } from '../parameters.js';

/** What nobody may see. The texts of Stripe are put there by hand, and are no text that Stripe takes until then. */
export class SecretsPart extends Construct {
  /** Each by the variable of the gateway that wants it. */
  readonly all: ReadonlyMap<string, Secret>;

  constructor(scope: Construct, parameters: Parameters) {
    super(scope, 'Secrets');
    const { name, region, selling } = parameters;
    const origin = new Secret(this, 'Origin', {
      secretName: originSecretName(parameters),
      description: 'Header X-Origin-Secret of CloudFront to the gateway',
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
      removalPolicy: RemovalPolicy.RETAIN,
      ...(region === DELIVERY_REGION ? {} : { replicaRegions: [{ region: DELIVERY_REGION }] }),
    });
    const ofStripe = selling === undefined ? [] : ['CRD_STRIPE_SECRET_KEY', 'CRD_STRIPE_WEBHOOK_SECRET'];
    this.all = new Map([
      [ORIGIN_VARIABLE, origin],
      ...ofStripe.map((variable) => [variable, this.byHand(name, variable)] as const),
    ]);
    for (const secret of this.all.values()) {
      Validations.of(secret).acknowledge({
        id: 'AwsSolutions-SMG4',
        reason: 'Two texts must hold at once while one is changed, in an order that the runbook has.',
      });
    }
  }

  /** What reads all of them. */
  readStatement(): PolicyStatement {
    return new PolicyStatement({
      sid: 'ReadSecrets',
      actions: ['secretsmanager:GetSecretValue'],
      resources: [...this.all.values()].map(({ secretArn }) => secretArn),
    });
  }

  private byHand(name: string, variable: string): Secret {
    return new Secret(this, variable, {
      secretName: `${name}/${variable.toLowerCase().replaceAll('_', '-')}`,
      description: `${variable} of the gateway; put its text here by hand`,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
