import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { ACCOUNT_PATHS } from '../../../schemas/paths.js';
import type { Parameters } from '../settings/parameters.js';

const SCOPES = [OAuthScope.OPENID, OAuthScope.EMAIL];

/** A user pool of Amazon Cognito, by which subscribers sign in on the account page with their mail address. */
export class IdentityPart extends Construct {
  constructor(scope: Construct, parameters: Parameters, { domain }: NonNullable<Parameters['userPool']>) {
    super(scope, 'Identity');
    const { region, host } = parameters;
    const pool = this.createPool(parameters);
    pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: domain },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN, // the classic pages ignore prompt=none
    });
    const client = this.createClient(pool, `https://${host}${ACCOUNT_PATHS.page}`);
    new CfnManagedLoginBranding(this, 'Branding', {
      userPoolId: pool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true, // without a branding, managed login has no page
    });
    const issuer = `https://cognito-idp.${region}.amazonaws.com/${pool.userPoolId}`;
    new CfnOutput(Stack.of(this), 'IdentityParameter', {
      value: Stack.of(this).toJsonString({
        jwks: `${issuer}/.well-known/jwks.json`,
        issuer,
        audience: client.userPoolClientId,
        client: {
          id: client.userPoolClientId,
          scopes: SCOPES.map(({ scopeName }) => scopeName).join(' '),
          token: 'id', // access tokens of Cognito have no audience
          signOut: 'get', // the only method that Cognito documents
          origins: [`https://${domain}.auth.${region}.amazoncognito.com`],
        },
      }),
      description: 'Value of the parameter identity',
    });
  }

  private createPool({ name, protected: isProtected = false }: Parameters): UserPool {
    const pool = new UserPool(this, 'Pool', {
      userPoolName: `${name}-subscribers`,
      featurePlan: FeaturePlan.ESSENTIALS, // the least with managed login
      selfSignUpEnabled: true,
      signInAliases: { email: true },
      autoVerify: { email: true },
      keepOriginal: { email: true }, // until the new address is verified
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireDigits: false,
        requireLowercase: false,
        requireSymbols: false,
        requireUppercase: false,
      },
      deletionProtection: isProtected, // a protected pool would stay when its first deployment fails
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    Validations.of(pool).acknowledge(
      {
        id: 'AwsSolutions-COG1',
        reason: 'Long passwords without further rules are safer (NIST SP 800-63B).',
      },
      {
        id: 'AwsSolutions-COG2',
        reason: 'Subscribers choose. A session opens public data and an invoice page.',
      },
      {
        id: 'AwsSolutions-COG8',
        reason: 'The plan Plus costs four times as much, for data that is sold to many.',
      },
    );
    return pool;
  }

  private createClient(pool: UserPool, page: string): UserPoolClient {
    return pool.addClient('AccountPage', {
      userPoolClientName: 'account-page',
      generateSecret: false, // a page cannot keep one: it uses PKCE
      authFlows: {},
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: SCOPES,
        callbackUrls: [page],
        logoutUrls: [page],
      },
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      idTokenValidity: Duration.hours(1),
      accessTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.hours(1), // the page keeps none
    });
  }
}
