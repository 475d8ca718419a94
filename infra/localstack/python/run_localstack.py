"""Starts LocalStack with one correction: a killed writer blocks nobody.

LocalStack locks an object while its new body arrives. From a client that is killed it never arrives, and then all other
requests for the object wait. Here an object is locked only once the body is complete.
"""

import functools
import io

from localstack.runtime.main import main
from localstack.services.s3.provider import S3Provider

put_object = S3Provider.put_object


@functools.wraps(put_object)
def put_whole_object(self, context, request):
    """Puts an object after its whole body has arrived."""
    if request.get("Body") is not None:
        request["Body"] = io.BytesIO(request["Body"].read())
    return put_object(self, context, request)


S3Provider.put_object = put_whole_object

if __name__ == "__main__":
    main()
