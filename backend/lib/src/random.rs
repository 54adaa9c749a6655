//! Random numbers, from the generator that keys are made with.

/// Random bytes.
pub(crate) fn fill(bytes: &mut [u8]) {
    aws_lc_rs::rand::fill(bytes).expect("the machine has a source of randomness");
}

pub(crate) fn u32() -> u32 {
    let mut bytes = [0; 4];
    fill(&mut bytes);
    u32::from_le_bytes(bytes)
}
