import crd

result = crd.recompute("base")
print(result.compared, "dates compared,", len(result.differing), "differ")
