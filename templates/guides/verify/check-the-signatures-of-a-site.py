import os

import crd

proof = crd.verify(os.environ["CRD_TRUST_ANCHOR"])
print(*proof.proven, *proof.not_proven, sep="\n")
