import { Validations } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** Says why each resource of these statements with a star has one: the check of wildcards wants a reason for each. */
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
