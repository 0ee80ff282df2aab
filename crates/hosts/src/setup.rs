//! What `ken setup` writes for a host, and how it is taken away again.
