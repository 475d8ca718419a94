import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail';
import type { Construct } from 'constructs';
import { TRAIL_PREFIX, trailName } from '../settings/names.js';
import type { Parameters } from '../settings/parameters.js';

/**
 * Creates the trail without which EventBridge receives no call to KMS. A trail cannot be limited to one service, so it has
 * all management events of the region except those of the RDS Data API.
 */
export function createTrail(scope: Construct, parameters: Parameters): void {
  new CfnTrail(scope, 'Trail', {
    trailName: trailName(parameters),
    s3BucketName: parameters.buckets.logs,
    s3KeyPrefix: TRAIL_PREFIX,
    isLogging: true,
    enableLogFileValidation: true,
    isMultiRegionTrail: false, // the keys are in this region
    includeGlobalServiceEvents: false,
    eventSelectors: [
      {
        readWriteType: 'All', // a signature is a read
        includeManagementEvents: true,
        excludeManagementEventSources: ['rdsdata.amazonaws.com'],
      },
    ],
  });
}
