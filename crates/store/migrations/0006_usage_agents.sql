-- Whose sessions they are; those of Claude Code are not listed.
CREATE TABLE usage_agents (
    session INTEGER NOT NULL PRIMARY KEY,
    agent   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
