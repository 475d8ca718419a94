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
import type { Endings } from '../endings.js';
import { PROGRAM } from './tasks.js';

/** How a task is run: what its endings mean, how often it is tried again, and where a run that is given up is told. */
export type RunTerms = {
  readonly name: string;
  readonly run: TaskStateBase;
  readonly endings: Endings;
  readonly retries: number;
  /** Before it is tried again; twice as long each time. */
  readonly pause: Duration;
  readonly deadLetters: IQueue;
};

/**
 * The states of a run. The service tries again by an error's name alone, and every program that fails has the same: so
 * its exit code is read out of what the service says of the task that ended. Without one it was not started, or took too
 * long.
 */
export function toRunStates(scope: Construct, terms: RunTerms): IChainable {
  const { run, endings } = terms;
  const begin = new Pass(scope, 'Begin', {
    result: Result.fromObject({ left: terms.retries, pauseSeconds: terms.pause.toSeconds() }),
    resultPath: '$.tries',
  });
  const again = toNextTry(scope, run);
  const giveUp = toGivingUp(scope, terms);
  const tryAgain = new Choice(scope, 'TriesAreLeft')
    .when(Condition.numberGreaterThan('$.tries.left', 0), again)
    .otherwise(giveUp);
  const ending = new Choice(scope, 'Ending')
    .when(exitIn(endings.well), new Succeed(scope, 'Well')) // held, or something beside the program failed
    .when(exitIn(endings.final), giveUp)
    .otherwise(tryAgain);
  const read = new Pass(scope, 'ReadTask', {
    parameters: { 'Error.$': '$.failure.Error', 'Task.$': `States.StringToJson(${CAUSE})` },
    resultPath: '$.failure',
  });
  const told = new Choice(scope, 'TaskIsTold')
    .when(Condition.and(Condition.isPresent(CAUSE), Condition.stringMatches(CAUSE, '{*')), read.next(ending))
    .otherwise(tryAgain);
  run.addCatch(told, { resultPath: '$.failure' });
  return begin.next(run);
}

const CAUSE = '$.failure.Cause';

/** Containers of a task that are looked at: others than the program are put there by what watches the account. */
const CONTAINERS = [0, 1, 2, 3, 4];

/** Whether the program, wherever it stands among the containers, ended with one of these. */
function exitIn(codes: readonly number[]): Condition {
  const programs = CONTAINERS.map((place) => {
    const container = `$.failure.Task.Containers[${place}]`;
    return Condition.and(
      Condition.isPresent(`${container}.Name`),
      Condition.stringEquals(`${container}.Name`, PROGRAM),
      Condition.isPresent(`${container}.ExitCode`),
      Condition.or(...codes.map((code) => Condition.numberEquals(`${container}.ExitCode`, code))),
    );
  });
  return Condition.or(...programs);
}

function toNextTry(scope: Construct, run: TaskStateBase): IChainable {
  const wait = new Wait(scope, 'Pause', { time: WaitTime.secondsPath('$.tries.pauseSeconds') });
  const count = new Pass(scope, 'CountTry', {
    parameters: {
      'left.$': 'States.MathAdd($.tries.left, -1)',
      'pauseSeconds.$': 'States.MathAdd($.tries.pauseSeconds, $.tries.pauseSeconds)',
    },
    resultPath: '$.tries',
  });
  return wait.next(count).next(run);
}

function toGivingUp(scope: Construct, { name, deadLetters }: RunTerms): IChainable {
  const letter = new SqsSendMessage(scope, 'LeaveDeadLetter', {
    queue: deadLetters,
    messageBody: TaskInput.fromJsonPathAt('$'),
    resultPath: '$.letter',
  });
  return letter.next(new Fail(scope, 'Failed', { error: 'RunFailed', cause: `${name} failed` }));
}
