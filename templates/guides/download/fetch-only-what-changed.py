import crd

print(*crd.sync("mirror", chains=["base"], genres=["gold"]), sep="\n")
print(*crd.sync("mirror", chains=["base"], genres=["gold"]), sep="\n")  # nothing to fetch
