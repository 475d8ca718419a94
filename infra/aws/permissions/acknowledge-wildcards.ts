import { Validations } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** Gives cdk-nag the same reason for every resource with a wildcard in these statements. */
export function acknowledgeWildcards(
  scope: IConstruct,
  statements: readonly PolicyStatement[],
  reason: string,
): void {
  const wildcards = new Set(
    statements.flatMap(({ resources }) => resources).filter((each) => each.includes('*')),
  );
  for (const each of wildcards) {
    Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${each}]`, reason });
  }
}
