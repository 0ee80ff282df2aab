//! Norms to begin with.
