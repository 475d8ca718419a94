"""Starts LocalStack with two corrections: a killed writer blocks nobody, and Step Functions can compare times.

LocalStack locks an object while its new body arrives. From a client that is killed it never arrives, and then all other
requests for the object wait. Here an object is locked only once the body is complete.

In the answer of a service, Step Functions has times as texts. LocalStack keeps objects, and no comparison with one holds.
"""

import datetime
import functools
import io

from localstack.runtime.main import main
from localstack.services.s3.provider import S3Provider
from localstack.services.stepfunctions.asl.component.state.state_execution.state_task.service.state_task_service import (
    StateTaskService,
)

put_object = S3Provider.put_object


@functools.wraps(put_object)
def put_whole_object(self, context, request):
    """Puts an object after its whole body has arrived."""
    if request.get("Body") is not None:
        request["Body"] = io.BytesIO(request["Body"].read())
    return put_object(self, context, request)


S3Provider.put_object = put_whole_object

normalise_response = StateTaskService._normalise_response


def to_json(value):
    """Returns a value with all times as texts."""
    if isinstance(value, dict):
        return {name: to_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [to_json(member) for member in value]
    return value.isoformat() if isinstance(value, datetime.datetime) else value


@functools.wraps(normalise_response)
def normalise_response_and_times(self, response, *args, **kwargs):
    """Changes the answer of a service, in place."""
    normalise_response(self, response, *args, **kwargs)
    if isinstance(response, dict):
        response.update(to_json(response))


StateTaskService._normalise_response = normalise_response_and_times

if __name__ == "__main__":
    main()
