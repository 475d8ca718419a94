import { Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Construct } from 'constructs';
import type { GatewayPart } from './gateway.js';

/**
 * Sends a tenth of the requests to a new version of the gateway for a quarter of an hour, then all. Returns to the old
 * version, and fails the deployment, if `alarm` is raised. It needs up to ten minutes to notice.
 */
export class GatewayDeploymentPart extends Construct {
  constructor(scope: Construct, name: string, { live }: GatewayPart, alarm: IAlarm) {
    super(scope, 'GatewayDeployment');
    const application = new LambdaApplication(this, 'Application', { applicationName: `${name}-gateway` });
    const group = new LambdaDeploymentGroup(this, 'Group', {
      application,
      deploymentGroupName: `${name}-gateway`,
      alias: live,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES,
      alarms: [alarm],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    Validations.of(group).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'AWS keeps this policy in step with what CodeDeploy needs to move an alias.',
    });
  }
}
