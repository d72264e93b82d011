"""The tables of a generation's memory.duckdb, in one place."""

DDL = {
    "memory": """
        memory_sha VARCHAR PRIMARY KEY, level VARCHAR NOT NULL, text VARCHAR NOT NULL,
        date VARCHAR NOT NULL, kind VARCHAR NOT NULL, source VARCHAR NOT NULL,
        heading VARCHAR NOT NULL, status VARCHAR NOT NULL, duplicate_of VARCHAR,
        explains_failure BOOLEAN NOT NULL""",
    "evidence": """
        memory_sha VARCHAR, log_id VARCHAR, date VARCHAR NOT NULL, path VARCHAR NOT NULL,
        tool VARCHAR NOT NULL, job VARCHAR, step VARCHAR, exit_code INTEGER, url VARCHAR,
        repo VARCHAR, commit_sha VARCHAR, raw VARCHAR NOT NULL, text_sha VARCHAR NOT NULL,
        PRIMARY KEY (memory_sha, log_id)""",
    "failure_signature": """
        sig_sha VARCHAR, memory_sha VARCHAR, log_id VARCHAR, tool VARCHAR NOT NULL,
        inner_tool VARCHAR, role VARCHAR NOT NULL, raw VARCHAR NOT NULL,
        identity VARCHAR NOT NULL, normalised VARCHAR NOT NULL, rule VARCHAR NOT NULL,
        sym_sha VARCHAR, failure_class VARCHAR, modules VARCHAR[] NOT NULL,
        error_codes VARCHAR[] NOT NULL,
        PRIMARY KEY (sig_sha, memory_sha, log_id, role)""",
    "memory_vector": """
        memory_sha VARCHAR, kind VARCHAR, line_no INTEGER, vector FLOAT[] NOT NULL,
        model_id VARCHAR NOT NULL, PRIMARY KEY (memory_sha, kind, line_no)""",
    "symptom": """
        memory_sha VARCHAR, line_no INTEGER, line VARCHAR NOT NULL, origin VARCHAR NOT NULL,
        projector VARCHAR NOT NULL, model_id VARCHAR NOT NULL, prompt_sha VARCHAR NOT NULL,
        PRIMARY KEY (memory_sha, line_no)""",
    "gate_verdict": """
        candidate_sha VARCHAR PRIMARY KEY, memory_sha VARCHAR NOT NULL, date VARCHAR NOT NULL,
        path VARCHAR NOT NULL, verdict VARCHAR NOT NULL, rule VARCHAR NOT NULL,
        reason VARCHAR NOT NULL, policy_version VARCHAR NOT NULL""",
    "log_record": """
        record_sha VARCHAR PRIMARY KEY, date VARCHAR NOT NULL, seq INTEGER NOT NULL,
        type VARCHAR NOT NULL, subject VARCHAR NOT NULL, content_sha VARCHAR NOT NULL,
        body VARCHAR NOT NULL""",
}
"""Table name to column list. Order of columns is the order rows are written in."""

DIGESTED = ("memory", "evidence", "failure_signature", "memory_vector", "symptom")
"""Tables that answers come from. They follow from the memory log alone, so the digest covers
these; gate_verdict and log_record are for inspection."""
