//! How a lake is written.

use std::time::Duration;

use tablewright_stream::Options;

/// How a lake is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LakeOptions {
    /// How long a change may wait for others before its file is written.
    pub flush_after: Duration,
    /// How many changes are written at once at most.
    pub flush_many: usize,
    /// How large they may be in memory, about, in bytes.
    pub flush_bytes: usize,
    /// How often silver is brought up to date.
    pub merge_every: Duration,
    /// How many files the silver of an entity has.
    pub parts: usize,
    /// How large compaction makes files, about, in bytes.
    pub target: u64,
    /// In a bucket: after how long a process that writes the lake and gives no sign is succeeded by another. No file takes longer to write than a third of it.
    pub lease: Duration,
    /// How the change stream is read.
    pub stream: Options,
}

impl Default for LakeOptions {
    fn default() -> Self {
        let mut stream = Options::default();
        stream.poll = Duration::from_secs(1);
        // A file that cannot be written today can be tomorrow. Nothing is ever laid aside.
        stream.oldest = Duration::MAX;
        LakeOptions {
            flush_after: Duration::from_secs(5),
            flush_many: 10_000,
            flush_bytes: 16 << 20,
            merge_every: Duration::from_secs(60),
            parts: 8,
            target: 128 << 20,
            lease: Duration::from_secs(60),
            stream,
        }
    }
}
