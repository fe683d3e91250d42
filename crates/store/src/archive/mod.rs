//! The archive.
