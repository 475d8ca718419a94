curl --version
