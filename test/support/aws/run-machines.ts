import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateActivityCommand,
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  GetActivityTaskCommand,
  GetExecutionHistoryCommand,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  type HistoryEvent,
} from '@aws-sdk/client-sfn';

/**
 * The end of a task: the exit code of its program, or no exit code. With 'a failing companion', the program exited with 0,
 * but ECS reports the task as failed because of another container.
 */
export type TaskEnd = number | 'not started' | 'too long' | 'no exit code' | 'a failing companion';

/** The result of a run. */
export type MachineRun = {
  readonly status: string;
  /** Number of times that the task was run. */
  readonly attempts: number;
  /** Seconds before each retry. */
  readonly delays: readonly number[];
  /** Content of the dead letter; `undefined` if none was sent. */
  readonly letter: unknown;
};

/** Runs state machines whose tasks end as a test chooses. */
export type RunMachines = {
  /** Runs a machine to its end without its retry delays; its tasks end one after the other as listed. */
  readonly run: (definition: string, ends: readonly TaskEnd[]) => Promise<MachineRun>;
  readonly stop: () => void;
};

const TIMEOUT_MS = 15_000;
const ROLE = 'arn:aws:iam::000000000000:role/machine';
const PROGRAM = 'program';
export const TASK_FAILED = 'TaskFailed';
const DELAY_PATH = '$.retries.delaySeconds';

/** Uses the Step Functions of the server `CRD_TEST_S3_ENDPOINT`. The test replaces ECS and SQS. */
export function createRunMachines(): RunMachines {
  const endpoint = process.env['CRD_TEST_S3_ENDPOINT'];
  if (endpoint === undefined) throw new Error('CRD_TEST_S3_ENDPOINT is not set. Run npm run test:slow.');
  const client = new SFNClient({ endpoint });
  return {
    async run(definition, ends) {
      const name = `run-${randomBytes(6).toString('hex')}`;
      const { activityArn } = await client.send(new CreateActivityCommand({ name }));
      const taskSeconds = ends.includes('too long') ? 3 : TIMEOUT_MS / 1000;
      const testable = toTestable(definition, activityArn, taskSeconds);
      const { stateMachineArn } = await client.send(
        new CreateStateMachineCommand({ name, definition: testable, roleArn: ROLE }),
      );
      const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn }));
      const ended = new AbortController();
      const answered = endTasks(client, activityArn, ends, ended.signal);
      const status = await Promise.race([
        waitForEnd(client, executionArn, ended.signal),
        answered.then(() => new Promise<never>(() => undefined)), // only its failure matters here
      ]).finally(() => ended.abort());
      await answered;
      const { events = [] } = await client.send(
        new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }),
      );
      return { status, ...toRun(events) };
    },
    stop() {
      client.destroy();
    },
  };
}

type TaskResult = { readonly output: string } | { readonly error: string; readonly cause: string };

/**
 * Returns the result of a task in the format of Step Functions: the cause of a failure of a started task is its description by ECS.
 * A second container stands for the account's monitoring. It always failed, so that a machine that reads its exit code is
 * noticed. Only Step Functions may use error names that begin with
 * `States.`; the machines do not depend on them.
 */
function toResult(end: Exclude<TaskEnd, 'too long'>): TaskResult {
  if (end === 'not started') return { error: 'AmazonECS.Unknown', cause: 'RESOURCE:MEMORY' };
  const program = { Name: PROGRAM, LastStatus: 'STOPPED' };
  const exits =
    typeof end === 'number' ? { ExitCode: end } : end === 'a failing companion' ? { ExitCode: 0 } : {};
  const companion = { Name: 'aws-guardduty-agent', LastStatus: 'STOPPED', ExitCode: 137 };
  const task = JSON.stringify({
    Containers: [companion, { ...program, ...exits }],
    LastStatus: 'STOPPED',
    StopCode: end === 'no exit code' ? 'TaskFailedToStart' : 'EssentialContainerExited',
  });
  return end === 0 ? { output: task } : { error: TASK_FAILED, cause: task };
}

/** Changes a machine so that its task is an activity of the test, its retry delay is 0, and no dead letter is sent. */
function toTestable(definition: string, activityArn: string | undefined, taskSeconds: number): string {
  const { States, ...rest } = JSON.parse(definition) as { States: Record<string, object> };
  const { SecondsPath, ...delay } = States['RetryDelay'] as { SecondsPath?: string };
  if (SecondsPath !== DELAY_PATH) throw new Error(`the machine does not wait for ${DELAY_PATH}`);
  const { Next } = States['SendDeadLetter'] as { Next: string };
  return JSON.stringify({
    ...rest,
    States: {
      ...States,
      Run: {
        ...States['Run'],
        Resource: activityArn,
        Parameters: undefined,
        TimeoutSeconds: taskSeconds,
      },
      RetryDelay: { ...delay, Seconds: 0 },
      SendDeadLetter: { Type: 'Pass', Next },
    },
  });
}

/** Ends the tasks of a run as they start, until the run has ended. */
async function endTasks(
  client: SFNClient,
  activityArn: string | undefined,
  ends: readonly TaskEnd[],
  ended: AbortSignal,
): Promise<void> {
  for (const end of ends) {
    const started = client.send(new GetActivityTaskCommand({ activityArn }), { abortSignal: ended });
    const { taskToken } = await started.catch((error: unknown) => {
      if (ended.aborted) return { taskToken: undefined };
      throw error;
    });
    if (taskToken === undefined) return;
    if (end === 'too long') continue; // started and never ended
    const result = toResult(end);
    if ('output' in result) await client.send(new SendTaskSuccessCommand({ taskToken, ...result }));
    else await client.send(new SendTaskFailureCommand({ taskToken, ...result }));
  }
}

async function waitForEnd(
  client: SFNClient,
  executionArn: string | undefined,
  ended: AbortSignal,
): Promise<string> {
  for (const deadlineMs = Date.now() + TIMEOUT_MS; Date.now() < deadlineMs && !ended.aborted;) {
    const { status = '' } = await client.send(new DescribeExecutionCommand({ executionArn }));
    if (status !== 'RUNNING') return status;
    await sleep(50);
  }
  throw new Error(`the run has not ended after ${TIMEOUT_MS / 1000} s`);
}

function toRun(events: readonly HistoryEvent[]): Omit<MachineRun, 'status'> {
  const entered = events.flatMap(({ stateEnteredEventDetails: details }) => details ?? []);
  const inputs = (state: string): RunInput[] =>
    entered.filter(({ name }) => name === state).map(({ input = '' }) => JSON.parse(input) as RunInput);
  return {
    attempts: inputs('Run').length,
    delays: inputs('RetryDelay').map(({ retries }) => retries.delaySeconds),
    letter: inputs('SendDeadLetter')[0],
  };
}

type RunInput = { readonly retries: { readonly delaySeconds: number } };
