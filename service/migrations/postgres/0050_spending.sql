-- What the engines of providers have done for a key on a UTC day. Empty `price`: the settings declare none.
CREATE TABLE spending (
    day      BIGINT NOT NULL,
    key_id   TEXT COLLATE "C" NOT NULL,
    engine   TEXT    NOT NULL,
    family   TEXT    NOT NULL,
    unit     TEXT    NOT NULL,
    price    TEXT    NOT NULL,
    currency TEXT    NOT NULL,
    calls    BIGINT NOT NULL,
    units    DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (day, key_id, engine, family, unit, price, currency)
);
