"""Runs queries on one SQL engine, and prints the rows or the error of each as JSON: run.py ENGINE REQUEST."""

import json
import sys


def duckdb(tables):
    import duckdb

    connection = duckdb.connect()
    for name, table in tables.items():
        connection.execute(f"CREATE VIEW {name} AS FROM read_parquet('{table['parquet']}')")
    return lambda sql: connection.execute(sql).fetchall()


def polars(tables):
    import polars

    context = polars.SQLContext({name: polars.scan_parquet(table["parquet"]) for name, table in tables.items()})
    return lambda sql: context.execute(sql, eager=True).rows()


def datafusion(tables):
    from datafusion import SessionContext

    context = SessionContext()
    for name, table in tables.items():
        context.register_parquet(name, table["parquet"])
    return lambda sql: [tuple(row.values()) for row in context.sql(sql).to_pylist()]


def chdb(tables):
    from chdb import session

    own = session.Session()
    own.query("CREATE DATABASE raw")
    own.query("USE raw")
    for name, table in tables.items():
        own.query(f"CREATE VIEW {name} AS SELECT * FROM file('{table['parquet']}', 'Parquet')")
    for setting in ("cast_keep_nullable", "join_use_nulls"):
        own.query(f"SET {setting} = 1")
    return lambda sql: json.loads(own.query(sql, "JSONCompact").bytes())["data"]


def pyspark(tables):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for setting, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
    }.items():
        builder = builder.config(setting, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    for name, table in tables.items():
        spark.read.parquet(table["parquet"]).createOrReplaceTempView(name)
    return lambda sql: [tuple(row) for row in spark.sql(sql).collect()]


ENGINES = {each.__name__: each for each in (duckdb, polars, datafusion, chdb, pyspark)}


def answer(run, sql):
    try:
        return {"rows": [list(row) for row in run(sql)]}
    except BaseException as error:  # a panic of Polars is no Exception
        return {"error": " ".join(str(error).split())[:200]}


engine, path = sys.argv[1:]
with open(path) as file:
    request = json.load(file)
run = ENGINES[engine](request["tables"])
print(json.dumps([answer(run, sql) for sql in request["queries"]]))
