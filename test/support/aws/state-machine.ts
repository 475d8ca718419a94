import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';

/** A state machine that was created, and its executions. */
export type Machine = {
  readonly arn: string;
  /** Starts an execution, and returns its ARN. */
  readonly start: (input?: unknown) => Promise<string>;
  /** Waits until an execution has succeeded, and returns its output. @throws Error if it ends otherwise */
  readonly outputOf: (execution: string) => Promise<unknown>;
};

const TIMEOUT_MS = 20_000;
const ROLE = 'arn:aws:iam::000000000000:role/machine';

/** Creates a state machine on the server `CRD_TEST_S3_ENDPOINT`. */
export async function createMachine(client: SFNClient, definition: object): Promise<Machine> {
  const name = `machine-${randomBytes(6).toString('hex')}`;
  const { stateMachineArn: arn = '' } = await client.send(
    new CreateStateMachineCommand({ name, definition: JSON.stringify(definition), roleArn: ROLE }),
  );
  return {
    arn,
    async start(input = {}) {
      const command = new StartExecutionCommand({ stateMachineArn: arn, input: JSON.stringify(input) });
      return (await client.send(command)).executionArn ?? '';
    },
    async outputOf(executionArn) {
      for (const deadlineMs = Date.now() + TIMEOUT_MS; Date.now() < deadlineMs;) {
        const { status, output, cause } = await client.send(new DescribeExecutionCommand({ executionArn }));
        if (status === 'SUCCEEDED') return JSON.parse(output ?? 'null') as unknown;
        if (status !== 'RUNNING') throw new Error(`${String(status)}: ${cause ?? ''}`);
        await sleep(50);
      }
      throw new Error(`the machine has not ended after ${TIMEOUT_MS / 1000} s`);
    },
  };
}
