//! Attacks of one client, and what the others see meanwhile.

mod names;
