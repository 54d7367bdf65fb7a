-- What the engines of providers have done for a key on a UTC day. Empty `price`: the settings declare none.
CREATE TABLE spending (
    day      INTEGER NOT NULL,
    key_id   TEXT    NOT NULL,
    engine   TEXT    NOT NULL,
    family   TEXT    NOT NULL,
    unit     TEXT    NOT NULL,
    price    TEXT    NOT NULL,
    currency TEXT    NOT NULL,
    calls    INTEGER NOT NULL,
    units    REAL    NOT NULL,
    PRIMARY KEY (day, key_id, engine, family, unit, price, currency)
) STRICT;
