import type { Duration } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import {
  Choice,
  Condition,
  Fail,
  Pass,
  Result,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
  type IChainable,
  type TaskStateBase,
} from 'aws-cdk-lib/aws-stepfunctions';
import { SqsSendMessage } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import type { ExitHandling } from '../settings/exits.js';
import { PROGRAM } from './tasks.js';

/** Options for `createRunStates`. */
export type RunOptions = {
  readonly name: string;
  readonly run: TaskStateBase;
  readonly exits: ExitHandling;
  readonly retries: number;
  /** Delay before the first retry; it doubles with each further one. */
  readonly retryDelay: Duration;
  readonly deadLetters: IQueue;
};

/**
 * Creates the states of a run. Step Functions can retry only by the name of an error, which is the same for every failed
 * program. The states therefore read the exit code from the task's description in the error's cause. A task without an
 * exit code was not started or timed out, and is retried.
 */
export function createRunStates(scope: Construct, options: RunOptions): IChainable {
  const { run, exits } = options;
  const begin = new Pass(scope, 'Begin', {
    result: Result.fromObject({ left: options.retries, delaySeconds: options.retryDelay.toSeconds() }),
    resultPath: '$.retries',
  });
  const fail = createFailure(scope, options);
  const retry = new Choice(scope, 'RetriesLeft')
    .when(Condition.numberGreaterThan('$.retries.left', 0), createRetry(scope, run))
    .otherwise(fail);
  const ending = new Choice(scope, 'Ending')
    .when(exitIn(exits.success), new Succeed(scope, 'Success')) // held, reported by another run, or only another container failed
    .when(exitIn(exits.final), fail)
    .otherwise(retry);
  const read = new Pass(scope, 'ReadTask', {
    parameters: { 'Error.$': '$.failure.Error', 'Task.$': `States.StringToJson(${CAUSE})` },
    resultPath: '$.failure',
  });
  const hasTask = new Choice(scope, 'HasTask')
    .when(Condition.and(Condition.isPresent(CAUSE), Condition.stringMatches(CAUSE, '{*')), read.next(ending))
    .otherwise(retry);
  run.addCatch(hasTask, { resultPath: '$.failure' });
  return begin.next(run);
}

const CAUSE = '$.failure.Cause';

/** Positions in a task at which the program's container is looked for. */
const CONTAINERS = [0, 1, 2, 3, 4];

/** Returns a condition that holds if the program exited with one of `codes`, at any position in the task. */
function exitIn(codes: readonly number[]): Condition {
  const programs = CONTAINERS.map((position) => {
    const container = `$.failure.Task.Containers[${position}]`;
    return Condition.and(
      Condition.isPresent(`${container}.Name`),
      Condition.stringEquals(`${container}.Name`, PROGRAM),
      Condition.isPresent(`${container}.ExitCode`),
      Condition.or(...codes.map((code) => Condition.numberEquals(`${container}.ExitCode`, code))),
    );
  });
  return Condition.or(...programs);
}

function createRetry(scope: Construct, run: TaskStateBase): IChainable {
  const wait = new Wait(scope, 'RetryDelay', { time: WaitTime.secondsPath('$.retries.delaySeconds') });
  const count = new Pass(scope, 'CountRetry', {
    parameters: {
      'left.$': 'States.MathAdd($.retries.left, -1)',
      'delaySeconds.$': 'States.MathAdd($.retries.delaySeconds, $.retries.delaySeconds)',
    },
    resultPath: '$.retries',
  });
  return wait.next(count).next(run);
}

function createFailure(scope: Construct, { name, deadLetters }: RunOptions): IChainable {
  const letter = new SqsSendMessage(scope, 'SendDeadLetter', {
    queue: deadLetters,
    messageBody: TaskInput.fromJsonPathAt('$'),
    resultPath: '$.letter',
  });
  return letter.next(new Fail(scope, 'Failed', { error: 'RunFailed', cause: `${name} failed` }));
}
