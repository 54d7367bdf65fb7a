-- Icons, resources, music and sound effects: whole records as JSON, and what searches need.

CREATE TABLE icons (
    id      INTEGER PRIMARY KEY,
    family  INTEGER NOT NULL,
    author  INTEGER NOT NULL,
    style   INTEGER NOT NULL,
    -- What it shows, and the first word of that.
    concept TEXT NOT NULL,
    stem    TEXT NOT NULL,
    record  TEXT NOT NULL
) STRICT;
CREATE INDEX icons_by_concept ON icons (concept, family, id);
CREATE INDEX icons_by_style ON icons (family, style, id);
CREATE INDEX icons_by_stem ON icons (family, stem, id);
CREATE INDEX icons_by_author ON icons (author);

CREATE TABLE resources (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           INTEGER NOT NULL UNIQUE,
    author       INTEGER NOT NULL,
    series       TEXT,
    -- Where it stands among all: small is downloaded most, or changed last. Unique, and the rowid of its tokens.
    popular      INTEGER NOT NULL UNIQUE,
    recent       INTEGER NOT NULL UNIQUE,
    record       TEXT NOT NULL
) STRICT;
CREATE INDEX resources_by_author ON resources (author, popular);
CREATE INDEX resources_by_series ON resources (series, popular) WHERE series IS NOT NULL;

-- Tokens of words and facets, once in each order: a search reads them in the order that it answers in, and stops.
CREATE VIRTUAL TABLE resources_popular USING fts5 (tokens, content = '', contentless_delete = 1, detail = none);
CREATE VIRTUAL TABLE resources_recent USING fts5 (tokens, content = '', contentless_delete = 1, detail = none);

CREATE TABLE audio (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    id         INTEGER NOT NULL,
    title      TEXT NOT NULL,
    premium    INTEGER NOT NULL,
    popularity REAL NOT NULL,
    downloads  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    seconds    REAL NOT NULL,
    bpm        REAL NOT NULL,
    record     TEXT NOT NULL,
    UNIQUE (kind, id)
) STRICT;
CREATE VIRTUAL TABLE audio_tokens USING fts5 (tokens, content = '', contentless_delete = 1, detail = none);
