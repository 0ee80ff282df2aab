//! Disks that refuse.
