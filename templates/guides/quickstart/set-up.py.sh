pip install "chain-reference-data[pandas,verify] @ http://127.0.0.1:8080/api/v1/python/chain_reference_data-1.4.0-py3-none-any.whl"
