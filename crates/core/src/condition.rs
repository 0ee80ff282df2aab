//! Conditions that an entry depends on, as they are written (VAL-1).
