node --version
