//! What has a name, and how it is found by it.
