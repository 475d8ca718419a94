curl -sSL --fail-with-body http://127.0.0.1:8080/api/v1/changes
