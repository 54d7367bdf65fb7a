//! What a hostile program can't do.
