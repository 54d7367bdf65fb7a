-- Icons, resources, music and sound effects: whole records as JSON, and what searches need.

CREATE TABLE icons (
    id      bigint PRIMARY KEY,
    family  bigint NOT NULL,
    author  bigint NOT NULL,
    style   bigint NOT NULL,
    -- What it shows, and the first word of that.
    concept text NOT NULL,
    stem    text NOT NULL,
    record  text NOT NULL
);
CREATE INDEX icons_by_concept ON icons (concept, family, id);
CREATE INDEX icons_by_style ON icons (family, style, id);
CREATE INDEX icons_by_stem ON icons (family, stem, id);
CREATE INDEX icons_by_author ON icons (author);

CREATE TABLE resources (
    seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id      bigint NOT NULL UNIQUE,
    author  bigint NOT NULL,
    series  text,
    -- Where it stands among all: small is downloaded most, or changed last.
    popular bigint NOT NULL,
    recent  bigint NOT NULL,
    -- Of words and facets.
    tokens  tsvector NOT NULL,
    record  text NOT NULL
);
CREATE INDEX resources_by_popular ON resources (popular, seq);
CREATE INDEX resources_by_recent ON resources (recent, seq);
CREATE INDEX resources_by_tokens ON resources USING gin (tokens);
CREATE INDEX resources_by_author ON resources (author, popular);
CREATE INDEX resources_by_series ON resources (series, popular) WHERE series IS NOT NULL;
-- So that the planner knows how common the common tokens are.
ALTER TABLE resources ALTER COLUMN tokens SET STATISTICS 1000;

CREATE TABLE audio (
    seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       text NOT NULL,
    id         bigint NOT NULL,
    title      text NOT NULL,
    premium    boolean NOT NULL,
    popularity double precision NOT NULL,
    downloads  bigint NOT NULL,
    created_at bigint NOT NULL,
    seconds    double precision NOT NULL,
    bpm        double precision NOT NULL,
    tokens     tsvector NOT NULL,
    record     text NOT NULL,
    UNIQUE (kind, id)
);
CREATE INDEX audio_by_tokens ON audio USING gin (tokens);
